// Commands that users type at a whole cluster, one after the other.
import { describe } from 'vitest';
import { testCommands } from './kubectl-session.ts';
import { StartedCluster } from './started-cluster.ts';
import { UP_COMMANDS } from './up-kubectl-commands.ts';

/** Nodes report, back-offs end and graces run out ten times as fast. */
const SPEED = '10';

describe('P-UP-21 commands at a whole cluster -> as on a real one', () => {
  testCommands({
    peer: 'kubectl',
    commands: UP_COMMANDS,
    start: (program, directory) => StartedCluster.start(program, directory, '--speed', SPEED),
    commandMsMax: 120_000,
  });
});
