// What every step of one write needs to know about the request it serves.
import type { KubeObject } from '../../kube/object.ts';
import type { User, Verb } from '../authorization.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface Call {
  readonly user: User;
  readonly verb: Verb;
  readonly subresource: string | undefined;
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string | undefined;
  /** Texts for Warning headers, filled while the request is served. */
  readonly warnings: string[];
}

/** A decoded object: the kind's own fields are reached by name. */
export type StoredObject = KubeObject & Readonly<Record<string, unknown>>;
