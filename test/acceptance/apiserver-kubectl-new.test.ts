// What users type, with the newest kubectl.
import { testCommands } from './kubectl-session.ts';

testCommands('kubectl');
