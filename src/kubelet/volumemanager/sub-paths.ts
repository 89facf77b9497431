// Parts of volumes that containers mount by subPath: each is a bind mount of its own, made before the container starts and
// removed before the volume is taken from the pod. kubernetes:pkg/volume/util/subpath/subpath_linux.go
import type { Container } from '../../kube/resources/container.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { KubeletPaths } from '../csiplugin/kubelet-paths.ts';
import { VOLUME_DIRECTORY_MODE } from '../csiplugin/kubelet-paths.ts';
import type { Mounter } from '../mounter/mounter.ts';

interface SubPathServices {
  readonly mounter: Mounter;
  readonly paths: KubeletPaths;
}

/** `volumeOf` gives the name of the volume behind a pod's volume and where it is mounted. */
export async function makeSubPaths(
  { mounter, paths }: SubPathServices,
  pod: Pod,
  volumeOf: (outerName: string) => { readonly specName: string; readonly path: string } | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
      const part = mount.subPathExpr === undefined ? mount.subPath : expanded(mount.subPathExpr, container);
      const volume = part === undefined || part === '' ? undefined : volumeOf(mount.name);
      if (volume === undefined) continue;
      const target = paths.subPath(pod.metadata.uid, { specName: volume.specName, container: container.name, index });
      await mounter.makeDirectory(target, VOLUME_DIRECTORY_MODE);
      if ((await mounter.stat(target))?.mountPoint === true) continue;
      const source = `${volume.path}/${part ?? ''}`;
      await mounter.mount({ source, target, fsType: '', options: ['bind'] }, signal);
    }
  }
}

/** `$(NAME)` stands for a variable of the container; one that is not given as a plain value stays as it is written. */
function expanded(expression: string, { env = [] }: Container): string {
  return expression.replaceAll(
    /\$\(([^)]*)\)/g,
    (text, name: string) => env.find((each) => each.name === name)?.value ?? text,
  );
}

export async function removeSubPaths(
  { mounter, paths }: SubPathServices,
  podUid: string,
  specName: string,
  signal: AbortSignal,
): Promise<void> {
  const all = paths.subPathsDirectory(podUid);
  const ofVolume = `${all}/${specName}`;
  if ((await mounter.stat(ofVolume)) === undefined) return;
  for (const container of await mounter.list(ofVolume)) {
    for (const index of await mounter.list(`${ofVolume}/${container}`)) {
      const target = `${ofVolume}/${container}/${index}`;
      await mounter.unmount(target, signal);
      await mounter.removeDirectory(target);
    }
    await mounter.removeDirectory(`${ofVolume}/${container}`);
  }
  await mounter.removeDirectory(ofVolume);
  if ((await mounter.list(all)).length === 0) await mounter.removeDirectory(all);
}
