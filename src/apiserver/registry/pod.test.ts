import { describe, expect, it } from 'vitest';
import { decoded, toldOfNew } from './makers.ts';
import { podStrategy as strategy } from './pod.ts';

const container = (fields: object = {}) => ({ name: 'c', image: 'busybox:1.36', ...fields });
const pod = (spec: object = {}, rest: object = {}) => ({ spec: { containers: [container()], ...spec }, ...rest });
const withContainer = (fields: object, spec: object = {}) => pod({ containers: [container(fields)], ...spec });
const created = (typed: object) => strategy.prepareForCreate?.(decoded(strategy, typed), { now: 0 });

describe('defaults of a pod', () => {
  it('P-REG-16 nothing said -> policies, grace, scheduler and links', () => {
    expect(decoded(strategy, pod()).spec).toEqual({
      containers: [
        {
          name: 'c',
          image: 'busybox:1.36',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    });
  });

  it.each<[string, object, object]>([
    [
      'limits without requests -> copied',
      { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { memory: '1Mi' } } },
      { resources: { requests: { cpu: '1', memory: '1Mi' } } },
    ],
    ['port -> TCP', { ports: [{ containerPort: 80 }] }, { ports: [{ protocol: 'TCP' }] }],
    [
      'image without a tag -> pulled always',
      { image: 'images.example.com:5000/team/app' },
      { imagePullPolicy: 'Always' },
    ],
    ['image :latest -> pulled always', { image: 'app:latest' }, { imagePullPolicy: 'Always' }],
    ['image by digest -> pulled once', { image: 'app@sha256:0123' }, { imagePullPolicy: 'IfNotPresent' }],
    [
      'http probe -> path, scheme and counts',
      { livenessProbe: { httpGet: { port: 80 } } },
      {
        livenessProbe: {
          httpGet: { path: '/', scheme: 'HTTP', port: 80 },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'grpc probe -> no service',
      { readinessProbe: { grpc: { port: 80 } } },
      { readinessProbe: { grpc: { service: '' } } },
    ],
    [
      'http hook -> path and scheme',
      { lifecycle: { preStop: { httpGet: { port: 80 } } } },
      { lifecycle: { preStop: { httpGet: { path: '/', scheme: 'HTTP' } } } },
    ],
    [
      'variable from a field -> v1',
      { env: [{ name: 'N', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }] },
      { env: [{ valueFrom: { fieldRef: { apiVersion: 'v1' } } }] },
    ],
  ])('P-REG-16 %s', (_situation, fields, expected) => {
    expect(decoded(strategy, withContainer(fields)).spec.containers[0]).toMatchObject(expected);
  });

  it.each<[string, object, object]>([
    ['no source -> emptyDir', {}, { emptyDir: {} }],
    ['config map -> mode 0644', { configMap: { name: 'c' } }, { configMap: { defaultMode: 420 } }],
    ['secret -> mode 0644', { secret: { secretName: 's' } }, { secret: { defaultMode: 420 } }],
    ['host path -> any type', { hostPath: { path: '/x' } }, { hostPath: { type: '' } }],
    [
      'ephemeral claim -> Filesystem',
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { ephemeral: { volumeClaimTemplate: { metadata: {}, spec: { volumeMode: 'Filesystem' } } } },
    ],
    [
      'projected token -> an hour',
      { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
      { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
    ],
    [
      'downward file -> v1',
      { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      { downwardAPI: { items: [{ fieldRef: { apiVersion: 'v1' } }] } },
    ],
    [
      'iscsi -> default interface',
      { iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } },
      { iscsi: { iscsiInterface: 'default' } },
    ],
  ])('P-REG-16 volume with %s', (_situation, source, expected) => {
    expect(decoded(strategy, pod({ volumes: [{ name: 'v', ...source }] })).spec.volumes?.[0]).toMatchObject(expected);
  });

  it('P-REG-16 a pod that has its defaults -> the very same object, so that it is not shaped again', () => {
    const full = decoded(
      strategy,
      withContainer(
        {
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: '1' } },
          livenessProbe: { httpGet: { port: 80 } },
        },
        { volumes: [{ name: 'v', configMap: { name: 'c' } }], serviceAccountName: 'x' },
      ),
    );
    expect(strategy.applyDefaults(full)).toBe(full);
  });

  it('P-REG-16 the old name of the account -> both names', () => {
    expect(decoded(strategy, pod({ serviceAccount: 'x' })).spec).toMatchObject({
      serviceAccountName: 'x',
      serviceAccount: 'x',
    });
  });

  it('P-REG-16 one address -> also as a list', () => {
    expect(decoded(strategy, pod({}, { status: { podIP: '10.0.0.1' } })).status.podIPs).toEqual([{ ip: '10.0.0.1' }]);
  });

  it('P-REG-16 host network -> container ports are host ports', () => {
    const typed = pod({ hostNetwork: true, containers: [container({ ports: [{ containerPort: 80 }] })] });
    expect(decoded(strategy, typed).spec.containers[0]?.ports).toEqual([
      { containerPort: 80, hostPort: 80, protocol: 'TCP' },
    ]);
  });

  it('P-REG-16 created -> Pending with its class of service, whatever status was sent', () => {
    expect(created(pod({}, { status: { phase: 'Running', podIP: '10.0.0.1' } }))?.status).toEqual({
      phase: 'Pending',
      qosClass: 'BestEffort',
    });
  });

  it('P-REG-16 created behind a gate -> says that it is held', () => {
    expect(created(pod({ schedulingGates: [{ name: 'example.com/wait' }] }))?.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
    ]);
  });
});

describe('a new pod', () => {
  it.each<[string, object, readonly string[]]>([
    ['no containers -> required', pod({ containers: [] }), ['spec.containers: Required value']],
    ['container without a name -> required', withContainer({ name: '' }), ['spec.containers[0].name: Required value']],
    [
      'container without an image -> required',
      withContainer({ image: '' }),
      ['spec.containers[0].image: Required value'],
    ],
    [
      'blank around the image -> invalid',
      withContainer({ image: ' x' }),
      ['spec.containers[0].image: Invalid value: " x": must not have leading or trailing whitespace'],
    ],
    [
      'two containers of one name -> duplicate',
      pod({ containers: [container(), container()] }),
      ['spec.containers[1].name: Duplicate value: "c"'],
    ],
    [
      'mount of a volume that is not there -> not found',
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '/x' }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'one mount path twice -> must be unique',
      withContainer(
        {
          volumeMounts: [
            { name: 'v', mountPath: '/x' },
            { name: 'v', mountPath: '/x' },
          ],
        },
        { volumes: [{ name: 'v' }] },
      ),
      ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique'],
    ],
    [
      'block device from an emptyDir -> invalid',
      withContainer({ volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }, { volumes: [{ name: 'v' }] }),
      [
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      ],
    ],
    [
      'one volume mounted and as device -> refused on both sides',
      withContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/x' }], volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] },
        { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      ),
      [
        'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
        'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
      ],
    ],
    [
      'two sources in one volume -> the later one is refused',
      pod({ volumes: [{ name: 'v', emptyDir: {}, persistentVolumeClaim: { claimName: 'c' } }] }),
      ['spec.volumes[0].persistentVolumeClaim: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'two volumes of one name -> duplicate',
      pod({ volumes: [{ name: 'v' }, { name: 'v' }] }),
      ['spec.volumes[1].name: Duplicate value: "v"'],
    ],
    [
      'volume without a name -> required',
      pod({ volumes: [{ emptyDir: {} }] }),
      ['spec.volumes[0].name: Required value'],
    ],
    [
      'claim without a name -> required',
      pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: '' } }] }),
      ['spec.volumes[0].persistentVolumeClaim.claimName: Required value'],
    ],
    [
      'claim that an ephemeral volume makes -> invalid',
      pod({ volumes: [ephemeral('e'), { name: 'v', persistentVolumeClaim: { claimName: 'a-e' } }] }),
      [
        'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "a-e": must not reference a PVC that gets created for an ephemeral volume',
      ],
    ],
    [
      'ephemeral claim with a name of its own -> forbidden',
      pod({ volumes: [ephemeral('e', { metadata: { name: 'x', labels: { a: 'b' } } })] }),
      ['spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set'],
    ],
    [
      'ephemeral claim without modes -> required',
      pod({ volumes: [ephemeral('e', { spec: { resources: { requests: { storage: '1Gi' } } } })] }),
      [
        'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
      ],
    ],
    [
      'csi volume without a driver -> required',
      pod({ volumes: [{ name: 'v', csi: {} }] }),
      ['spec.volumes[0].csi.driver: Required value'],
    ],
    [
      'projected file twice -> conflicting',
      pod({ volumes: [{ name: 'v', projected: { sources: [keyed('secret', 's'), keyed('configMap', 'c')] } }] }),
      ['spec.volumes[0].projected: Invalid value: "c": conflicting duplicate paths'],
    ],
    [
      'request above the limit -> invalid',
      withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      'unknown resource -> two faults, as upstream',
      withContainer({ resources: { limits: { gpu: '1' } } }),
      [
        'spec.containers[0].resources.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
        'spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers',
      ],
    ],
    [
      'port zero -> required',
      withContainer({ ports: [{ containerPort: 0 }] }),
      ['spec.containers[0].ports[0].containerPort: Required value'],
    ],
    [
      'probe without a handler -> required',
      withContainer({ livenessProbe: {} }),
      ['spec.containers[0].livenessProbe: Required value: must specify a handler type'],
    ],
    [
      'liveness after two successes -> must be one',
      withContainer({ livenessProbe: { exec: { command: ['x'] }, successThreshold: 2 } }),
      ['spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1'],
    ],
    [
      'toleration without a key -> must be Exists',
      pod({ tolerations: [{ value: 'x' }] }),
      [
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'toleration with a time but for NoSchedule -> invalid',
      pod({ tolerations: [{ key: 'x', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] }),
      [
        'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      ],
    ],
    [
      'restart policy -> unsupported',
      pod({ restartPolicy: 'Sometimes' }),
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      'ephemeral containers -> forbidden',
      pod({ ephemeralContainers: [container({ name: 'd' })] }),
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
    [
      'node and a gate -> forbidden',
      pod({ nodeName: 'n', schedulingGates: [{ name: 'example.com/x' }] }),
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
    [
      'init container with a probe -> forbidden',
      pod({ initContainers: [container({ name: 'i', livenessProbe: { exec: { command: ['x'] } } })] }),
      [
        'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'sidecar with a probe -> fine',
      pod({
        initContainers: [
          container({ name: 'i', restartPolicy: 'Always', livenessProbe: { exec: { command: ['x'] } } }),
        ],
      }),
      [],
    ],
    [
      'variable from two places -> invalid',
      withContainer({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [
      'affinity with weight 0 -> out of range',
      pod({
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
            ],
          },
        },
      }),
      [
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
      ],
    ],
    [
      'spread with skew 0 -> invalid',
      pod({
        topologySpreadConstraints: [
          { maxSkew: 0, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      }),
      ['spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero'],
    ],
    [
      'own name servers and none given -> required',
      pod({ dnsPolicy: 'None' }),
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
  ])('P-REG-17 %s', (_situation, typed, expected) => {
    expect(toldOfNew(strategy, typed)).toEqual(expected);
  });

  it('P-REG-39 a name with a dot and a variable defined twice -> warned about', () => {
    const typed = pod(
      {
        containers: [
          container({
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          }),
        ],
      },
      { metadata: { name: 'a.b' } },
    );
    expect(strategy.warnings?.(decoded(strategy, typed), undefined)).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ]);
  });
});

function ephemeral(name: string, template: object = {}) {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return { name, ephemeral: { volumeClaimTemplate: { spec, ...template } } };
}

function keyed(kind: 'secret' | 'configMap', name: string) {
  return { [kind]: { name, items: [{ key: 'k', path: 'file' }] } };
}
