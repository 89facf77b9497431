// What every step of one write needs to know about the request it serves.
import type { KubeObject } from '../../kube/object.ts';
import type { User, Verb } from '../authorization.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What strict decoding finds in the text of a request and a parsed value no longer shows: a field that stands twice. */
export interface TextFault {
  /** Where; empty where the fault is of no field of the object. */
  readonly path: string;
  readonly says: string;
  /** Where this field and all others stand in the text, if that is known. */
  readonly places?: ReadonlyMap<string, number>;
  /** What a refusal says once before all faults that have it. */
  readonly heading?: string;
}

export interface Call {
  readonly user: User;
  readonly verb: Verb;
  readonly subresource: string | undefined;
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string | undefined;
  readonly textFaults?: readonly TextFault[];
  /** Texts for Warning headers, filled while the request is served. */
  readonly warnings: string[];
}

/** A decoded object: the kind's own fields are reached by name. */
export type StoredObject = KubeObject & Readonly<Record<string, unknown>>;
