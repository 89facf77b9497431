import { describe, expect, it, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { aPod } from '../../volume/makers.ts';
import type { RuntimeContainer } from '../podworkers/container-runtime.ts';
import { type LogFacts, type LogLine, logOf, logOptionsOf, logText } from './container-log.ts';

const AT = Date.UTC(2026, 0, 1, 12);
const LATER = AT + 90 * SECOND_MS;
const bare = aPod();
const POD: Pod = {
  ...bare,
  metadata: { ...bare.metadata, name: 'db-0', namespace: 'default', uid: 'u' },
  spec: {
    ...bare.spec,
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
      { name: 'raw', persistentVolumeClaim: { claimName: 'raw-db-0' } },
      { name: 'scratch', emptyDir: {} },
    ],
    initContainers: [{ name: 'init', image: 'i', resources: {} }],
    containers: [
      {
        name: 'db',
        image: 'postgres:18',
        resources: {},
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'scratch', mountPath: '/tmp' },
        ],
        volumeDevices: [{ name: 'raw', devicePath: '/dev/xvda' }],
      },
    ],
  },
};
const RUNS: RuntimeContainer = { name: 'db', id: 'x', image: 'postgres:18', restartCount: 0, startedAt: AT };

function facts(container: Partial<RuntimeContainer> | undefined, rest: Partial<LogFacts> = {}): LogFacts {
  const runtimePod = {
    uid: 'u',
    name: 'db-0',
    namespace: 'default',
    podIP: '',
    containers: container === undefined ? [] : [{ ...RUNS, ...container }],
  };
  return { nodeName: 'node-a', pod: POD, runtimePod, container: 'db', previous: false, ...rest };
}

const textsOf = (given: LogFacts): readonly string[] => {
  const found = logOf(given);
  return found.type === 'lines' ? found.lines.map(({ text }) => text) : [`${found.code} ${found.message}`];
};
const VIRTUAL = 'node-a is a virtual node: its volumes are staged and published, but its containers run no program.';
const INSTEAD = 'This log tells what happened to the container instead.';
const STARTED = 'Container db (image postgres:18) started at 2026-01-01T12:00:00Z';
const MOUNTS = [
  'Volume data (claim data-db-0) is mounted at /data.',
  'Volume raw (claim raw-db-0) is the device /dev/xvda.',
];

const rows: readonly (readonly [string, LogFacts, readonly string[]])[] = [
  [
    'runs -> what a virtual node is, when it started, its claims',
    facts({}),
    [VIRTUAL, INSTEAD, `${STARTED}.`, ...MOUNTS],
  ],
  ['runs again -> says so', facts({ restartCount: 2 }), [VIRTUAL, INSTEAD, `${STARTED}, for the 3rd time.`, ...MOUNTS]],
  [
    'has ended -> when and how',
    facts({ exit: { at: LATER, code: 137 } }),
    [VIRTUAL, INSTEAD, `${STARTED}.`, ...MOUNTS, 'Container db ended at 2026-01-01T12:01:30Z with exit code 137.'],
  ],
  [
    'init container -> succeeded',
    facts({}, { container: 'init' }),
    [VIRTUAL, INSTEAD, 'Init container init succeeded at 2026-01-01T12:00:00Z.'],
  ],
  ['not started -> waits', facts(undefined), ['400 container "db" in pod "db-0" is waiting to start: PodInitializing']],
  ['no such container -> 404', facts({}, { container: 'x' }), ['404 container "x" not found in pod "db-0"']],
  [
    'the one before -> refused as upstream refuses',
    facts({}, { previous: true }),
    ['400 previous terminated container "db" in pod "db-0" not found'],
  ],
];

describe('the log of a virtual container', () => {
  test.each(rows)('P-KL-18 %s', (_name, given, texts) => {
    expect(textsOf(given)).toEqual(texts);
  });
});

const LINES: readonly LogLine[] = [
  { at: AT, text: 'one' },
  { at: AT + 400, text: 'two' },
  { at: LATER, text: 'three' },
];
const optionRows: readonly (readonly [string, string])[] = [
  ['', 'one\ntwo\nthree\n'],
  ['tailLines=2', 'two\nthree\n'],
  ['tailLines=0', ''],
  ['tailLines=9', 'one\ntwo\nthree\n'],
  ['limitBytes=5', 'one\nt'],
  ['timestamps=true&tailLines=1', '2026-01-01T12:01:30Z three\n'],
  ['sinceSeconds=30', 'three\n'],
  ['sinceTime=2026-01-01T12:00:00Z', 'one\ntwo\nthree\n'],
  ['sinceTime=2026-01-01T12:00:01Z', 'three\n'],
  ['tailLines=x', 'nonsense'],
  ['sinceTime=yesterday', 'nonsense'],
];

describe('which part of a log', () => {
  test.each(optionRows)('P-KL-18 %s -> that part', (query, text) => {
    const options = logOptionsOf(new URLSearchParams(query), LATER + SECOND_MS);
    expect(options === undefined ? 'nonsense' : logText(LINES, options)).toBe(text);
  });

  it('P-KL-18 follow, previous -> read', () => {
    expect(logOptionsOf(new URLSearchParams('follow=true&previous=1'), AT)).toMatchObject({
      follow: true,
      previous: true,
    });
  });
});
