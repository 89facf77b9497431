// What users type at a whole cluster, in the order in which it works, and what a real one of 1.36 says to it.
import { type Command, fails, ok, sent } from './kubectl-commands.ts';

const template = (app: string, more: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: app, image: `${app}:1`, ...more }] },
});
const meta = (name: string): object => ({ name });
const selector = (app: string): object => ({ matchLabels: { app } });

const CLUSTER: readonly Command[] = [
  ok('kubectl wait --for=condition=Ready node --all --timeout=60s', /node\/node-a condition met/),
  ok('kubectl cluster-info', /control plane.* is running at .*https:\/\/127\.0\.0\.1/),
  ok('kubectl get nodes -L topology.kubernetes.io/zone', /^node-c +Ready +<none> +\S+ +v1\.36\.3 +zone-2$/m),
  ok('kubectl get ns', /^kube-node-lease +Active/m),
  ok('kubectl get lease -n kube-node-lease', /^node-a +node-a /m),
  ok('kubectl get sc', /^standard \(default\) +disk\.mooring\.dev +Delete +WaitForFirstConsumer +true/m),
  ok('kubectl describe csinode node-a', /disk\.mooring\.dev:\n +Node ID: +node-a/),
  ok('kubectl describe node node-a', /^ {2}Ready +True .*KubeletReady/m),
  ok('kubectl auth can-i create pods', /^yes$/m),
  fails('kubectl auth can-i delete nodes --as=system:serviceaccount:default:default', /^no$/m),
  ok('kubectl api-resources --api-group=storage.k8s.io', /^volumeattachments .* VolumeAttachment$/m),
  ok('kubectl explain pvc.spec.resources', /DESCRIPTION:/),
  ok('kubectl create ns shop', /namespace\/shop created/),
  ok('kubectl config set-context --current --namespace=shop', /modified/),
  ok('kubectl wait --for=create sa/default cm/kube-root-ca.crt --timeout=30s', /default condition met/),
];

const ROLLOUTS: readonly Command[] = [
  ok('kubectl create deployment web --image=web:1 --replicas=3', /deployment\.apps\/web created/),
  ok('kubectl rollout status deploy/web --timeout=60s', /"web" successfully rolled out/),
  ok("kubectl annotate deploy/web kubernetes.io/change-cause='first'", /annotated/),
  ok('kubectl set image deploy/web web=web:2', /image updated/),
  ok('kubectl rollout status deploy/web --timeout=60s', /"web" successfully rolled out/),
  ok('kubectl rollout history deploy/web', /^1 +first\n2 +first$/m),
  ok('kubectl rollout history deploy/web --revision=2', /Image:\tweb:2/),
  ok('kubectl rollout undo deploy/web', /rolled back/),
  ok('kubectl rollout status deploy/web --timeout=60s', /"web" successfully rolled out/),
  ok("kubectl get deploy web -o jsonpath='{.spec.template.spec.containers[0].image}'", /^web:1$/),
  ok('kubectl rollout pause deploy/web', /paused/),
  ok('kubectl set resources deploy/web --limits=cpu=100m,memory=64Mi', /resource requirements updated/),
  fails('kubectl rollout status deploy/web --timeout=2s', /0 out of 3 new replicas have been updated/),
  ok('kubectl rollout resume deploy/web; kubectl rollout status deploy/web --timeout=60s', /successfully rolled out/),
  ok('kubectl rollout restart deploy/web; kubectl rollout status deploy/web --timeout=60s', /successfully rolled out/),
  ok('kubectl scale deploy/web --current-replicas=3 --replicas=4', /scaled/),
  fails('kubectl scale deploy/web --current-replicas=3 --replicas=5', /Expected replicas to be 3, was 4/),
  ok('kubectl wait --for=condition=Available deploy/web --timeout=60s', /condition met/),
  ok('kubectl rollout status deploy/web --timeout=60s; kubectl get rs', /^web-\w+ +4 +4 +4 /m),
  ok('kubectl describe deploy web', /ScalingReplicaSet .* Scaled up replica set web-\w+ from 0 to 3/),
  ok('kubectl set image deploy/web web=web:3; kubectl rollout status deploy/web --timeout=60s', /rolled out/),
  ok('kubectl get all', /^deployment\.apps\/web +4\/4 +4 +4 /m),
];

const SET = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: meta('db'),
  spec: {
    serviceName: 'db',
    replicas: 2,
    selector: selector('db'),
    template: template('db', { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
    volumeClaimTemplates: [
      { metadata: meta('data'), spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ],
  },
};
const claim = (name: string, more: object): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: meta(name),
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});

const STORAGE: readonly Command[] = [
  ok(sent('apply', SET), /statefulset\.apps\/db created/),
  ok('kubectl rollout status sts/db --timeout=60s', /2 new pods have been updated|rolling update complete 2 pods/),
  ok('kubectl get pvc', /^data-db-0 +Bound +pvc-\S+ +1Gi +RWO +standard /m),
  // In either order: on a fast clock time stands while one thing leads to another, so both may be of the same instant.
  ok('kubectl describe pvc data-db-0', /^(?=[^]*WaitForFirstConsumer)[^]*ProvisioningSucceeded/),
  ok('kubectl describe pod db-0', /Successfully assigned shop\/db-0[^]*AttachVolume\.Attach succeeded/),
  ok('kubectl describe pv', /Node Affinity: +\n +Required Terms: +\n +Term 0: +topology\.kubernetes\.io\/zone in/),
  ok('kubectl describe volumeattachment', /Attached: +true/),
  ok('kubectl events --for pod/db-0 --types=Normal', /SuccessfulAttachVolume/),
  ok('kubectl events --for pvc/data-db-1 -o json', /"reason": "ProvisioningSucceeded"/),
  ok(
    `kubectl patch pvc data-db-0 --type=merge -p '{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}'`,
    /data-db-0 patched/,
  ),
  ok("kubectl wait --for=jsonpath='{.status.capacity.storage}'=2Gi pvc/data-db-0 --timeout=60s", /condition met/),
  ok('kubectl describe pvc data-db-0', /FileSystemResizeSuccessful/),
  fails(
    `kubectl patch pvc data-db-0 -p '{"spec":{"resources":{"requests":{"storage":"1Gi"}}}}'`,
    /field can not be less than status\.capacity/,
  ),
  ok(sent('apply', claim('waits', {})), /created/),
  ok(
    'for i in $(seq 50); do kubectl describe pvc waits | grep -q WaitFor && break; sleep 0.2; done; kubectl get pvc waits',
    /^waits +Pending +standard /m,
  ),
  ok(sent('apply', claim('nowhere', { storageClassName: 'none' })), /created/),
  ok(
    'for i in $(seq 50); do kubectl describe pvc nowhere | grep Provisioning && break; sleep 0.2; done',
    /ProvisioningFailed .*storageclass\.storage\.k8s\.io "none" not found/,
  ),
  ok('kubectl delete pvc data-db-1 --wait=false; kubectl get pvc data-db-1', /^data-db-1 +Terminating /m),
  ok('kubectl scale sts/db --replicas=1; kubectl wait --for=delete pvc/data-db-1 --timeout=60s', /scaled/),
  ok('kubectl set image sts/db db=db:2; kubectl rollout status sts/db --timeout=60s', /(?:complete|updated)/),
  ok('kubectl rollout history sts/db', /^2 +<none>$/m),
  ok('kubectl rollout undo sts/db; kubectl rollout status sts/db --timeout=60s', /rolled back/),
  ok('kubectl delete pod db-0 --force --grace-period=0', /pod "db-0" force deleted/),
  ok('kubectl rollout status sts/db --timeout=60s; kubectl get pod db-0', /^db-0 +1\/1 +Running +0 /m),
];

const BARE = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'bare', labels: { app: 'bare' } },
  spec: {
    nodeName: 'node-a',
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'bare:1', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
    volumes: [{ name: 'scratch', emptyDir: {} }],
  },
};

const NODES: readonly Command[] = [
  ok(sent('apply', BARE), /pod\/bare created/),
  ok('kubectl wait --for=condition=Ready pod/bare --timeout=60s', /condition met/),
  ok('kubectl cordon node-a; kubectl get node node-a', /^node-a +Ready,SchedulingDisabled /m),
  ok(
    'kubectl run kept-out --image=x:1 --overrides=\'{"spec":{"nodeSelector":{"kubernetes.io/hostname":"node-a"}}}\'',
    /created/,
  ),
  ok(
    'for i in $(seq 50); do kubectl describe pod kept-out | grep FailedScheduling && break; sleep 0.2; done',
    /0\/3 nodes are available: 1 node\(s\) were unschedulable, 2 node\(s\) didn't match Pod's node affinity\/selector/,
  ),
  fails('kubectl drain node-a --timeout=20s', /cannot delete Pods with local storage .*: shop\/bare/),
  fails('kubectl drain node-a --timeout=20s --delete-emptydir-data', /declare no controller .*: shop\/bare/),
  ok('kubectl create pdb bare --selector=app=bare --min-available=1', /created/),
  ok("kubectl wait --for=jsonpath='{.status.currentHealthy}'=1 pdb/bare --timeout=30s", /condition met/),
  fails(
    'kubectl drain node-a --timeout=4s --delete-emptydir-data --force --pod-selector=app=bare',
    /Cannot evict pod as it would violate the pod's disruption budget/,
  ),
  ok('kubectl delete pdb bare', /deleted/),
  ok('kubectl drain node-a --timeout=60s --delete-emptydir-data --force --ignore-daemonsets', /node\/node-a drained/),
  ok('kubectl get pods -A --field-selector=spec.nodeName=node-a,status.phase=Running -o name', /^$/),
  ok('kubectl uncordon node-a; kubectl wait --for=condition=Ready pod/kept-out --timeout=60s', /condition met/),
  ok('kubectl taint node node-a maintenance=yes:NoExecute', /node\/node-a tainted/),
  ok(
    'kubectl wait --for=delete pod/kept-out --timeout=60s; kubectl get pod kept-out --ignore-not-found',
    /^$|condition met/,
  ),
  ok('kubectl taint node node-a maintenance-', /node\/node-a untainted/),
  ok('kubectl label node node-a disk=ssd; kubectl get nodes -l disk=ssd -o name', /^node\/node-a$/m),
  ok('kubectl annotate node node-a note=x --overwrite', /annotated/),
];

const DAEMONS = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: meta('agent'),
  spec: { selector: selector('agent'), template: template('agent') },
};

const OTHER_WORKLOADS: readonly Command[] = [
  ok(sent('apply', DAEMONS), /daemonset\.apps\/agent created/),
  ok('kubectl rollout status ds/agent --timeout=60s; kubectl get ds agent', /^agent +3 +3 +3 +3 +3 +<none>/m),
  ok('kubectl set image ds/agent agent=agent:2; kubectl rollout status ds/agent --timeout=60s', /rolled out/),
  ok('kubectl rollout history ds/agent', /^2 +<none>$/m),
  ok('kubectl rollout undo ds/agent; kubectl rollout status ds/agent --timeout=60s', /successfully rolled out/),
  fails('kubectl drain node-b --timeout=20s', /cannot delete DaemonSet-managed Pods .*: shop\/agent-\w+/),
  ok('kubectl uncordon node-b; kubectl delete ds agent', /deleted/),
  ok('kubectl create job sum --image=x:1 -- echo 1', /job\.batch\/sum created/),
  ok('kubectl wait --for=condition=complete job/sum --timeout=60s; kubectl get job sum', /^sum +Complete +1\/1 /m),
  ok('kubectl describe job sum', /SuccessfulCreate[^]*Completed .*Job completed/),
  ok('kubectl get pods -l job-name=sum', /^sum-\w+ +0\/1 +Completed +0 /m),
  ok('kubectl create job lost --image=x:1 -- false', /created/),
  ok("kubectl wait --for=jsonpath='{.status.failed}'=1 job/lost --timeout=60s", /condition met/),
  ok('kubectl delete job sum lost; kubectl wait --for=delete pod -l job-name --timeout=60s', /deleted/),
];

const REST: readonly Command[] = [
  ok('kubectl run once --image=x:1 --restart=Never --labels=a=b -- serve', /pod\/once created/),
  ok('kubectl wait --for=condition=Ready pod/once --timeout=60s', /condition met/),
  ok('timeout 3 kubectl get pods -l a=b -w --output-watch-events || true', /^ADDED +once +1\/1 +Running/m),
  ok('kubectl expose deploy/web --port=80 --target-port=8080', /service\/web exposed/),
  ok('kubectl describe svc web', /^Selector: +app=web$/m),
  ok('kubectl autoscale deploy/web --min=1 --max=3 --cpu=50%', /autoscaled/),
  ok('kubectl delete pod once --grace-period=1', /pod "once" deleted/),
  ok(
    "kubectl delete sts/db --cascade=orphan; kubectl get pod db-0 -o jsonpath='{.metadata.ownerReferences}'",
    /deleted/,
  ),
  ok('kubectl delete deploy web --cascade=foreground', /deleted/),
  ok('kubectl get rs -o name', /^$/),
  ok('kubectl create role r --verb=get --resource=pods; kubectl create cm kept --from-literal=a=b', /created/),
  ok('kubectl delete ns shop --timeout=100s', /namespace "shop" deleted/),
  ok(
    'kubectl wait --for=delete pv,volumeattachment --all --timeout=60s; kubectl get pv,volumeattachment -o name',
    /^(?:.*condition met\n)*$/,
  ),
  fails('kubectl get role r -n shop', /NotFound/),
];

export const UP_COMMANDS: readonly Command[] = [
  ...CLUSTER,
  ...ROLLOUTS,
  ...STORAGE,
  ...NODES,
  ...OTHER_WORKLOADS,
  ...REST,
];
