/**
 * Keeps a VolumeAttachment until its volume is detached, and a PersistentVolume as long as an attachment names it.
 * external-attacher:pkg/controller/util.go
 */
export function finalizerName(driver: string): string {
  const dashed = driver.replaceAll(/[^a-zA-Z0-9-]/g, '-');
  // A finalizer must not end with a dash.
  return `external-attacher/${dashed.endsWith('-') ? `${dashed}X` : dashed}`;
}
