import { describe, expect, test } from 'vitest';
import { aMember } from '../../test/workloads/makers.ts';
import type { Pod } from '../kube/resources/pod.ts';
import { containerWork } from './container-work.ts';

const OWNER = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true };
const pod = (restartPolicy: string, command: readonly string[], isOfJob = false): Pod =>
  aMember('p', {
    spec: { restartPolicy, containers: [{ name: 'main', image: 'x', resources: {}, command }] },
    ...(isOfJob ? { owner: OWNER } : {}),
  });
const ends = (seconds: number, exitCode = 0) => ({ runs: { forMs: seconds * 1000, exitCode } });

describe('P-UP-23 containerWork', () => {
  test.each([
    ['always restarted               -> runs on', pod('Always', ['sleep', '5']), {}],
    ['sleeps                         -> so long', pod('Never', ['sleep', '5']), ends(5)],
    ['fails                          -> at once', pod('Never', ['false']), ends(0, 1)],
    ['a plain script                 -> as it says', pod('OnFailure', ['sh', '-c', 'sleep 2; exit 3']), ends(2, 3)],
    ['a script that fails early      -> then', pod('Never', ['sh', '-c', 'false && sleep 9']), ends(0, 1)],
    ['a script that is not plain     -> runs on', pod('Never', ['sh', '-c', 'while :; do sleep 1; done']), {}],
    ['another program                -> runs on', pod('Never', ['postgres']), {}],
    ['another program, of a Job      -> ends soon', pod('Never', ['pg_dump'], true), ends(1)],
    ['no command, of a Job           -> ends soon', pod('OnFailure', [], true), ends(1)],
    ['no command                     -> runs on', pod('Never', []), {}],
  ])('%s', (_situation, each, expected) => {
    expect(containerWork(each)).toEqual(expected);
  });
});
