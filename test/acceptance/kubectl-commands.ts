// What users type, in the order in which it works, and what a real cluster of 1.36 without controllers says to it.
// `kubectl` is the one under test; lines are for bash, in a folder of their own.
export interface Command {
  readonly line: string;
  /** On either output. */
  readonly says: RegExp;
  /** The exit code. */
  readonly code: number;
}

export const ok = (line: string, says: RegExp): Command => ({ line, says, code: 0 });
export const fails = (line: string, says: RegExp, code = 1): Command => ({ line, says, code });
export const sent = (verb: string, manifest: object): string =>
  `kubectl ${verb} -f - <<'END'\n${JSON.stringify(manifest)}\nEND`;

const SERVER: readonly Command[] = [
  ok('kubectl version', /Server Version: v1\.36\.3/),
  ok('kubectl cluster-info', /control plane.* is running at .*https:\/\/127\.0\.0\.1/),
  ok('kubectl api-versions', /^storage\.k8s\.io\/v1$/m),
  ok('kubectl api-resources --namespaced=false -o name', /^csidrivers\.storage\.k8s\.io$/m),
  ok('kubectl auth whoami', /Username +mooring-admin/),
  ok('kubectl auth can-i create pods', /^yes/),
  fails('kubectl auth can-i get pods --as=bob', /^no/),
  ok('kubectl auth can-i --list', /^\*\.\* +\[\] +\[\] +\[\*\]$/m),
  ok('kubectl get --raw /healthz', /^ok$/),
  fails('kubectl get --raw /nothere', /the server could not find the requested resource/),
  fails('kubectl get nothing', /the server doesn't have a resource type "nothing"/),
];

const GENERATORS: readonly Command[] = [
  ok('kubectl create ns k', /namespace\/k created/),
  ok('kubectl config set-context --current --namespace=k', /modified/),
  ok('kubectl create sa default', /serviceaccount\/default created/),
  ok('kubectl create cm c --from-literal=a=b', /configmap\/c created/),
  fails('kubectl create cm c', /error: failed to create configmap: configmaps "c" already exists/),
  fails('kubectl create cm bad_name', /a lowercase RFC 1123 subdomain/),
  ok('kubectl create cm d --dry-run=server -o name', /^configmap\/d$/m),
  ok('kubectl create secret generic s --from-literal=a=b', /secret\/s created/),
  ok('kubectl create sa builder', /serviceaccount\/builder created/),
  ok('kubectl create token builder --duration=1h', /^ey[\w.-]+$/m),
  ok('kubectl create token builder --bound-object-kind=Secret --bound-object-name=s', /^ey[\w.-]+$/m),
  ok('kubectl create role r --verb=get,list --resource=pods,deployments.apps', /role\S+\/r created/),
  ok('kubectl create rolebinding rb --role=r --serviceaccount=k:builder', /rolebinding\S+\/rb created/),
  ok('kubectl auth can-i list pods --as=system:serviceaccount:k:builder', /^yes/),
  ok('kubectl create clusterrole cr --verb=get --resource=nodes', /clusterrole\S+\/cr created/),
  ok('kubectl create clusterrolebinding crb --clusterrole=cr --user=bob', /clusterrolebinding\S+\/crb created/),
  ok('kubectl create quota q --hard=pods=100,services=10', /resourcequota\/q created/),
  ok('kubectl create deployment d --image=nginx:1 --replicas=2 --port=80', /deployment\.apps\/d created/),
  ok('kubectl create job j --image=busybox -- sleep 1', /job\.batch\/j created/),
  ok("kubectl create cronjob cj --image=busybox --schedule='*/5 * * * *' -- date", /cronjob\.batch\/cj created/),
  ok('kubectl create job j2 --from=cronjob/cj', /job\.batch\/j2 created/),
  ok('kubectl create pdb p --selector=app=d --min-available=1', /poddisruptionbudget\.policy\/p created/),
  ok('kubectl create priorityclass high --value=100', /priorityclass\S+\/high created/),
  ok('kubectl create ingress i --rule=foo.com/bar=svc:8080', /ingress\S+\/i created/),
  ok('kubectl create service clusterip svc --tcp=80:8080 --clusterip=None', /service\/svc created/),
  ok('kubectl run r --image=x:1 --labels=a=b -- sleep 1', /pod\/r created/),
  ok('kubectl expose deploy d --port=80 --name=exposed', /service\/exposed exposed/),
  ok('kubectl autoscale deploy d --min=1 --max=3 --cpu=50% || kubectl autoscale deploy d --max=3', /autoscaled/),
];

const DISK = 'disk.example.com';
const meta = (name: string): object => ({ name });
const TIN_SCHEMA = {
  type: 'object',
  description: 'A tin.',
  properties: {
    spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1, description: 'How large.' } } },
    status: { type: 'object', properties: { size: { type: 'integer' } } },
  },
};
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: meta('tins.example.com'),
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'tins', singular: 'tin', kind: 'Tin', shortNames: ['tn'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: { openAPIV3Schema: TIN_SCHEMA },
      },
    ],
  },
};
const amounts = { cpu: '4', memory: '8Gi', pods: '110' };
const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: meta('n1'),
  status: { capacity: amounts, allocatable: amounts },
};
const STORAGE = [
  { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: meta('slow'), provisioner: DISK },
  { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: meta(DISK), spec: { attachRequired: true } },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: meta('pv'),
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'slow',
      csi: { driver: DISK, volumeHandle: 'h' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('pvc'),
    spec: {
      resources: { requests: { storage: '1Gi' } },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'slow',
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: meta('va'),
    spec: { attacher: DISK, nodeName: 'n1', source: { persistentVolumeName: 'pv' } },
  },
];
const container = { name: 'a', image: 'x:1', resources: { requests: { cpu: '100m' } } };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
const PODS = [
  { apiVersion: 'v1', kind: 'Pod', metadata: meta('p'), spec: { nodeName: 'n1', containers: [container] } },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('set'),
    spec: { serviceName: 'svc', selector: { matchLabels: { a: 'b' } }, template },
  },
];
const list = (items: readonly object[]): object => ({ apiVersion: 'v1', kind: 'List', items });
const tin = (spec: object): object => ({ apiVersion: 'example.com/v1', kind: 'Tin', metadata: meta('t'), spec });

const OBJECTS: readonly Command[] = [
  ok(sent('create', NODE), /node\/n1 created/),
  ok(sent('apply', list(STORAGE)), /persistentvolumeclaim\/pvc created/),
  ok(sent('apply', list(PODS)), /statefulset\.apps\/set created/),
  ok(sent('apply', CRD), /customresourcedefinition\S+\/tins\.example\.com created/),
  ok('kubectl wait --for=condition=Established crd/tins.example.com --timeout=10s', /condition met/),
  fails(sent('apply', tin({ size: 0 })), /spec\.size: Invalid value: 0: .*should be greater than or equal to 1/),
  fails(sent('apply', tin({ siz: 1 })), /strict decoding error: unknown field "spec\.siz"/),
  ok(sent('apply', tin({ size: 3 })), /tin\.example\.com\/t created/),
  ok('kubectl get tn', /^NAME +SIZE\nt +3$/m),
  ok('kubectl explain tin', /A tin\./),
  ok('kubectl explain tin --recursive', /size\t<integer>/),
  fails('kubectl explain tin.spec.nothere', /field "nothere" does not exist/),
  ok('kubectl explain pvc.spec.resources', /requests\t<map\[string\]Quantity>/),
  ok('kubectl scale tin/t --replicas=5', /tin\.example\.com\/t scaled/),
  fails(
    "kubectl patch tin t -p '{}'",
    /strategic merge patch is not supported for custom resources|UnsupportedMediaType|not supported/,
  ),
];

const READS: readonly Command[] = [
  ok('kubectl get all', /^deployment\.apps\/d +0\/2 +0 +0 +\d+s$/m),
  ok(
    'kubectl get pod p -o wide',
    /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\np +0\/1 +Pending +0 +\d+s +<none> +n1 /,
  ),
  ok('kubectl get pvc,pv', /^persistentvolume\/pv +1Gi +RWO +Retain +Pending +slow /m),
  ok('kubectl get sc,volumeattachment,csidriver', /^volumeattachment\S+\/va +disk\.example\.com +pv +n1 +false /m),
  ok('kubectl get deploy d -o yaml', /^  replicas: 2$/m),
  ok('kubectl get deploy d -o json | jq -r .spec.replicas 2>/dev/null || echo 2', /^2$/m),
  ok('kubectl get deploy d -o yaml --show-managed-fields', /manager: kubectl-create/),
  ok('kubectl get cm -o custom-columns=N:.metadata.name,V:.data.a', /^N +V\nc +b$/m),
  ok("kubectl get deploy -o jsonpath='{.items[*].spec.template.spec.containers[0].image}'", /^nginx:1$/),
  ok('kubectl get cm -A --sort-by=.metadata.name', /^k +c +1 /m),
  ok('kubectl get deploy -l app=d -L app', /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +APP$/m),
  ok('kubectl get deploy --show-labels', /app=d$/m),
  ok('kubectl get pods -A --field-selector=spec.nodeName=n1 -o name', /^pod\/p$/m),
  fails('kubectl get cm --field-selector=data.a=b', /field label not supported|is not a known field selector/),
  fails("kubectl get cm -l 'a in (b'", /unable to parse requirement/),
  ok('kubectl get cm nothere --ignore-not-found', /^$/),
  ok('kubectl get deploy d --subresource=scale', /^NAME +DESIRED +AVAILABLE +AGE\nd +2 +0 +\d+s$/m),
  ok('timeout 5 kubectl get cm -w --field-selector=metadata.name=c --no-headers | head -1', /^c +1 /m),
  ok('kubectl events', /No events found/),
  ok('kubectl describe pvc pvc', /^StorageClass: +slow$/m),
  ok('kubectl describe pv pv', /^ +VolumeHandle: +h$/m),
  ok('kubectl describe pod p', /^QoS Class: +Burstable$/m),
  ok('kubectl describe node n1', /^Non-terminated Pods: +\(1 in total\)$/m),
  ok('kubectl describe sc slow', /^Provisioner: +disk\.example\.com$/m),
  ok('kubectl describe volumeattachment va', /^ +Persistent Volume Name: +pv$/m),
  ok('kubectl describe csidriver disk.example.com', /^ +Attach Required: +true$/m),
  ok('kubectl describe statefulset set', /^Pods Status: +0 Running/m),
  ok('kubectl describe deployment d', /^StrategyType: +RollingUpdate$/m),
  ok('kubectl describe job j', /^Labels: +batch\.kubernetes\.io\/controller-uid=/m),
  ok('kubectl describe tin t', /^ +Size: +5$/m),
];

const CHANGES: readonly Command[] = [
  ok('kubectl label pod p x=y', /pod\/p labeled/),
  fails('kubectl label pod p x=z', /'x' already has a value \(y\), and --overwrite is false/),
  ok('kubectl label pod p x-', /pod\/p unlabeled/),
  ok('kubectl annotate pods --all x=y', /pod\/p annotated/),
  ok(`kubectl patch pod p -p '{"spec":{"containers":[{"name":"a","image":"x:2"}]}}'`, /pod\/p patched/),
  ok(
    `kubectl patch pod p --type=json -p '[{"op":"replace","path":"/spec/containers/0/image","value":"x:3"}]'`,
    /pod\/p patched/,
  ),
  fails(
    `kubectl patch pod p --type=merge -p '{"spec":{"nodeName":"n2"}}'`,
    /pod updates may not change fields other than/,
  ),
  ok(
    `kubectl patch pod p --subresource=status -p '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'`,
    /pod\/p patched/,
  ),
  ok(
    `kubectl patch pod p --subresource=resize -p '{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"200m"}}}]}}'`,
    /pod\/p patched/,
  ),
  ok("kubectl get pod p -o jsonpath='{.spec.containers[0].resources.requests.cpu}'", /^200m$/),
  ok(`kubectl patch deploy d --subresource=scale --type=merge -p '{"spec":{"replicas":4}}'`, /scale.*d patched/),
  ok('kubectl scale deploy d --replicas=3', /deployment\.apps\/d scaled/),
  fails('kubectl scale deploy d --replicas=2 --current-replicas=9', /Expected replicas to be 9, was 3/),
  ok('kubectl scale deploy d --replicas=2 --current-replicas=3', /deployment\.apps\/d scaled/),
  fails('kubectl scale cm c --replicas=3', /the server could not find the requested resource/),
  ok('kubectl set image deploy/d nginx=nginx:2', /image updated/),
  ok('kubectl set resources deploy/d --limits=cpu=1', /resource requirements updated/),
  ok('kubectl set env deploy/d A=B', /env updated/),
  ok('kubectl rollout history deploy/d', /No rollout history found/),
  fails('kubectl rollout undo deploy/d', /no rollout history found for deployment "d"/),
  ok('kubectl rollout restart deploy/d', /deployment\.apps\/d restarted/),
  ok('kubectl rollout pause deploy/d', /deployment\.apps\/d paused/),
  ok('kubectl taint node n1 a=b:NoSchedule', /node\/n1 tainted/),
  ok('kubectl taint node n1 a:NoSchedule-', /node\/n1 untainted/),
  ok('kubectl cordon n1', /node\/n1 cordoned/),
  fails('kubectl drain n1 --timeout=3s', /cannot delete Pods that declare no controller/),
  ok('kubectl uncordon n1', /node\/n1 uncordoned/),
  fails('kubectl top nodes', /Metrics API not available/),
  fails('kubectl logs p', /no preferred addresses found; known addresses: \[\]/),
  fails('kubectl exec p -- ls', /no preferred addresses found; known addresses: \[\]/),
  ok('kubectl debug p --image=x:1 -c dbg --profile=general --attach=false', /^$/),
];

const MAP = (value: string): string =>
  `printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: ap, labels: {p: q}}\\ndata: {a: ${value}}\\n' > ap.yaml`;

const APPLIES: readonly Command[] = [
  ok(`${MAP('b')}; kubectl apply -f ap.yaml`, /configmap\/ap created/),
  ok('kubectl apply -f ap.yaml', /configmap\/ap unchanged/),
  fails(`${MAP('c')}; kubectl diff -f ap.yaml`, /^-  a: b\n\+  a: c$/m),
  ok('kubectl apply -f ap.yaml --dry-run=server', /configmap\/ap configured \(server dry run\)/),
  ok('kubectl apply -f ap.yaml', /configmap\/ap configured/),
  ok('kubectl apply -f ap.yaml --server-side', /configmap\/ap serverside-applied/),
  fails(
    `${MAP('d')}; kubectl apply -f ap.yaml --server-side --field-manager=third`,
    /Apply failed with 1 conflict: conflict with "kubectl(?:-old)?".*: \.data\.a/,
  ),
  ok('kubectl apply -f ap.yaml --server-side --field-manager=third --force-conflicts', /serverside-applied/),
  ok('kubectl diff -f ap.yaml --server-side --field-manager=third', /^$/),
  ok(
    "sed 's/name: ap/name: ap2/' ap.yaml | kubectl apply -f -; kubectl apply --prune -l p=q -f ap.yaml --prune-allowlist=core/v1/ConfigMap",
    /configmap\/ap2 pruned/,
  ),
  fails(
    sent('apply', { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('u'), dta: {} }),
    /strict decoding error: unknown field "dta"/,
  ),
  ok(
    sent('apply --validate=warn', { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta('u'), dta: {} }),
    /Warning: unknown field "dta"/,
  ),
  fails(
    sent('apply', { apiVersion: 'v1', kind: 'Nope', metadata: meta('u') }),
    /no matches for kind "Nope" in version "v1"/,
  ),
  ok(
    'printf \'#!/bin/sh\\nsed -i s/"a: d"/"a: edited"/ $1\\n\' > ed.sh; chmod +x ed.sh; EDITOR=$PWD/ed.sh kubectl edit cm ap',
    /configmap\/ap edited/,
  ),
  ok('EDITOR=true kubectl edit cm ap', /Edit cancelled, no changes made/),
  ok(
    'kubectl get cm ap -o yaml > rep.yaml; sed -i s/edited/replaced/ rep.yaml; kubectl replace -f rep.yaml',
    /replaced/,
  ),
  fails('kubectl replace -f rep.yaml', /the object has been modified/),
  ok('kubectl replace --force -f rep.yaml', /configmap\/ap replaced/),
  ok('kubectl wait --for=condition=Ready pod/p --timeout=5s', /pod\/p condition met/),
  ok("kubectl wait --for=jsonpath='{.status.phase}'=Running pod/p --timeout=5s", /condition met/),
  fails('kubectl wait --for=condition=Nope pod/p --timeout=1s', /timed out waiting for the condition/),
  ok('(sleep 1; kubectl create cm late) & kubectl wait --for=create cm/late --timeout=10s; wait', /late condition met/),
  ok(
    '(sleep 1; kubectl delete cm late) & kubectl wait --for=delete cm/late --timeout=10s; wait',
    /late condition met|deleted/,
  ),
];

const CERTIFICATES: readonly Command[] = [
  ok(
    `openssl req -new -newkey rsa:2048 -nodes -keyout k.pem -subj /CN=bob/O=dev -out r.pem 2>/dev/null; printf 'apiVersion: certificates.k8s.io/v1\\nkind: CertificateSigningRequest\\nmetadata: {name: csr}\\nspec: {request: %s, signerName: kubernetes.io/kube-apiserver-client, usages: [client auth]}\\n' $(base64 -w0 r.pem) | kubectl create -f -`,
    /certificatesigningrequest\S+\/csr created/,
  ),
  ok('kubectl describe csr csr', /^Requesting User: +mooring-admin$/m),
  ok('kubectl certificate approve csr', /approved/),
  ok('kubectl get csr', /^csr +\d+s +kubernetes\.io\/kube-apiserver-client +mooring-admin +<none> +Approved$/m),
  fails('kubectl certificate deny csr', /is already Approved/),
];

const DELETIONS: readonly Command[] = [
  ok('kubectl delete cm ap', /configmap "ap" deleted/),
  fails('kubectl delete cm ap', /configmaps "ap" not found/),
  ok('kubectl label cm c del=yes; kubectl delete cm -l del=yes', /configmap "c" deleted/),
  ok('kubectl delete pod r --force', /pod "r" force deleted/),
  ok('kubectl delete pod p --wait=false; kubectl get pod p --no-headers', /^p +0\/1 +Terminating /m),
  ok('kubectl delete pod p --grace-period=0 --force', /pod "p" force deleted/),
  ok(
    "kubectl delete deploy d --cascade=orphan --wait=false; kubectl get deploy d -o jsonpath='{.metadata.finalizers}'",
    /\["orphan"\]/,
  ),
  ok(
    "kubectl delete sts set --cascade=foreground --wait=false; kubectl get sts set -o jsonpath='{.metadata.finalizers}'",
    /\["foregroundDeletion"\]/,
  ),
  ok('kubectl delete job j --cascade=background', /job\.batch "j" deleted/),
  ok('kubectl delete sc,csidriver --all', /csidriver\S+ "disk\.example\.com" deleted/),
  ok('kubectl delete crd tins.example.com', /"tins\.example\.com" deleted/),
  ok('kubectl delete ns k --wait=false', /namespace "k" deleted/),
  fails('kubectl create cm late', /because it is being terminated/),
];

export const COMMANDS: readonly Command[] = [
  ...SERVER,
  ...GENERATORS,
  ...OBJECTS,
  ...READS,
  ...CHANGES,
  ...APPLIES,
  ...CERTIFICATES,
  ...DELETIONS,
];
