// Checks of single values that many kinds share. Each takes the path and the value and answers the faults, none if all is well.
import { type FieldError, invalid, notSupported, required, tooLong } from '../../kube/field-error.ts';
import { inOrderOfKeys, isJsonObject } from '../../kube/json.ts';
import {
  byteLength,
  faultsOfLabel,
  faultsOfLabelValue,
  faultsOfQualifiedName,
  faultsOfSubdomain,
} from '../../kube/names.ts';
import { bytesOf, compareQuantities, isWholeQuantity } from '../../kube/quantity.ts';
import { sameValue } from './semantic-equal.ts';

type Faults = readonly FieldError[];

const each = (path: string, value: string, sentences: readonly string[]): Faults =>
  sentences.map((sentence) => invalid(path, value, sentence));

export const checkLabel = (path: string, value: string): Faults => each(path, value, faultsOfLabel(value));
export const checkSubdomain = (path: string, value: string): Faults => each(path, value, faultsOfSubdomain(value));
export const checkQualifiedName = (path: string, value: string): Faults =>
  each(path, value, faultsOfQualifiedName(value));
export const checkLabelValue = (path: string, value: string): Faults => each(path, value, faultsOfLabelValue(value));

export const checkRequired = (path: string, value: string | undefined): Faults =>
  value === undefined || value === '' ? [required(path)] : [];

export const checkOneOf = (path: string, value: string, supported: readonly string[]): Faults =>
  supported.includes(value) ? [] : [notSupported(path, value, supported)];

export const checkImmutable = (path: string, value: unknown, before: unknown): Faults =>
  sameValue(value, before) ? [] : [invalid(path, sorted(value), 'field is immutable')];

export const checkNonNegative = (path: string, value: number | undefined): Faults =>
  value === undefined || value >= 0 ? [] : [invalid(path, value, 'must be greater than or equal to 0')];

export const checkRange = (path: string, value: number, from: number, to: number): Faults =>
  value >= from && value <= to ? [] : [invalid(path, value, `must be between ${from} and ${to}, inclusive`)];

const PORT_MAX = 65_535;

export const checkPortNumber = (path: string, port: number): Faults => checkRange(path, port, 1, PORT_MAX);

/** Of files that the kubelet writes. */
export const checkFileMode = (path: string, mode: number | undefined): Faults =>
  mode === undefined || (mode >= 0 && mode <= 0o777)
    ? []
    : [invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];

export const checkPositiveQuantity = (path: string, value: string): Faults =>
  compareQuantities(value, '0') > 0 ? [] : [invalid(path, value, 'must be greater than zero')];

export const checkNonNegativeQuantity = (path: string, value: string): Faults =>
  compareQuantities(value, '0') >= 0 ? [] : [invalid(path, value, 'must be greater than or equal to 0')];

export const checkWholeQuantity = (path: string, value: string): Faults =>
  isWholeQuantity(value) ? [] : [invalid(path, value, 'must be an integer')];

export const checkBasicQuantity = (path: string, value: string): Faults =>
  bytesOf(value) >= 0 ? [] : [invalid(path, bytesOf(value), 'must be a valid resource quantity')];

/** CSI driver names: any case, at most 63 bytes. kubernetes:pkg/apis/core/validation/validation.go (ValidateCSIDriverName) */
export function checkDriverName(path: string, name: string): Faults {
  if (name === '') return [required(path)];
  return [
    ...(byteLength(name) > DRIVER_NAME_BYTES_MAX ? [tooLong(path, DRIVER_NAME_BYTES_MAX)] : []),
    ...each(path, name, faultsOfSubdomain(name.toLowerCase())),
  ];
}
const DRIVER_NAME_BYTES_MAX = 63;

/** Maps are printed with their keys in order, a selector with its labels first. */
export function sorted(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return 'matchLabels' in value ? { ...value, matchLabels: sorted(value['matchLabels']) } : inOrderOfKeys(value);
}
