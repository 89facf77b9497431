// What users type, with the newest kubectl.
import { describe } from 'vitest';
import { COMMANDS } from './kubectl-commands.ts';
import { testCommands } from './kubectl-session.ts';
import { StartedServer } from './started-server.ts';

describe('P-HTTP-14 commands at the server alone -> as on a cluster', () => {
  testCommands({
    peer: 'kubectl',
    commands: COMMANDS,
    start: (program, directory) => StartedServer.start(program, directory, '--store', 'memory'),
    commandMsMax: 30_000,
  });
});
