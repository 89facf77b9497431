// What StorageClass and VolumeAttributesClass share: a provisioner's name and its parameters.
// kubernetes:pkg/apis/storage/validation/validation.go (validateProvisioner, validateParameters)
import { type FieldError, invalid, required, tooLong } from '../../kube/field-error.ts';
import { byteLength, faultsOfQualifiedName } from '../../kube/names.ts';

const PARAMETERS_MAX = 512;
const PARAMETERS_BYTES_MAX = 256 * 1024;

/** The name is judged, and told, in lower case. */
export function checkProvisioner(name: string, path: string): readonly FieldError[] {
  if (name === '') return [required(path)];
  const lower = name.toLowerCase();
  return faultsOfQualifiedName(lower).map((fault) => invalid(path, lower, fault));
}

export function checkParameters(
  parameters: Readonly<Record<string, string>> | undefined,
  path: string,
): readonly FieldError[] {
  const entries = Object.entries(parameters ?? {});
  if (entries.length > PARAMETERS_MAX) return [tooLong(path, PARAMETERS_MAX)];
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return [
    ...entries.filter(([key]) => key === '').map(([key]) => invalid(path, key, 'field can not be empty.')),
    ...(bytes > PARAMETERS_BYTES_MAX ? [tooLong(path, PARAMETERS_BYTES_MAX)] : []),
  ];
}
