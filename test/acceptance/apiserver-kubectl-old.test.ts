// What users type, with the older kubectl.
import { testCommands } from './kubectl-session.ts';

testCommands('kubectl-old');
