import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import type { ResourceFacts } from '../../kube/schema-table.ts';
import type { MessageSchema } from '../../kube/schema.ts';

/** One version of a kind as its documents tell of it. */
export interface PublishedKind extends ResourceFacts {
  readonly listKind: string;
  readonly schema:
    | { readonly type: 'declared'; readonly message: MessageSchema }
    | { readonly type: 'defined'; readonly schema: JsonSchema }
    /** Nothing is known of its fields. */
    | { readonly type: 'open' };
}

/** What operations and schemas are found by. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export const kindNameOf = ({ group, version, kind }: KindName): KindName => ({ group, kind, version });
