// The documents that describe what is served, one for each group version, with an index that names each by its contents: a
// client that has a document once never asks for it again. Documents are made when they are first asked for; those of
// built-in kinds stay, those with kinds that clients define are made anew when these change.
// kube-openapi:pkg/handler3/handler.go
import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../kube/object.ts';
import { Components, type Form } from './components.ts';
import { pathsOf } from './paths.ts';
import type { PublishedKind } from './published-kind.ts';
import { swaggerOf } from './swagger.ts';

const INFO = { title: 'Kubernetes', version: 'v1.36.3' };

export interface OpenApiDocument {
  readonly text: string;
  /** Of the contents. */
  readonly hash: string;
}

/** What is published, and a number that changes with it. */
export interface PublishedKinds {
  readonly revision: number;
  all(): readonly PublishedKind[];
}

interface Published {
  readonly revision: number;
  /** By `apis/apps/v1`. */
  readonly kinds: ReadonlyMap<string, readonly PublishedKind[]>;
  readonly documents: Map<string, OpenApiDocument>;
}

export class OpenApi {
  readonly #source: PublishedKinds;
  #published: Published | undefined;

  constructor(source: PublishedKinds) {
    this.#source = source;
  }

  /** `/openapi/v3` */
  index(): string {
    const { kinds } = this.#current();
    const paths = Object.fromEntries(
      [...kinds.keys()].map((path) => {
        const hash = this.document(path)?.hash ?? '';
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
      }),
    );
    return JSON.stringify({ paths });
  }

  /** `/openapi/v3/apis/apps/v1`; undefined for what is not served. */
  document(path: string): OpenApiDocument | undefined {
    const { kinds, documents } = this.#current();
    const known = documents.get(path);
    const published = kinds.get(path);
    if (known !== undefined || published === undefined) return known;
    const made = documentOf(JSON.stringify(contentsOf(published, 'v3')));
    documents.set(path, made);
    return made;
  }

  /** `/openapi/v2`: all group versions in one, in the older form. */
  swagger(): OpenApiDocument {
    const { kinds, documents } = this.#current();
    const known = documents.get('v2');
    if (known !== undefined) return known;
    const parts = [...kinds.values()].map((each) => contentsOf(each, 'v2'));
    const made = documentOf(JSON.stringify(swaggerOf(INFO, parts)));
    documents.set('v2', made);
    return made;
  }

  #current(): Published {
    const { revision } = this.#source;
    if (this.#published?.revision === revision) return this.#published;
    const kinds = new Map<string, PublishedKind[]>();
    for (const kind of this.#source.all()) {
      const path = `${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`;
      const group = kinds.get(path);
      if (group === undefined) kinds.set(path, [kind]);
      else group.push(kind);
    }
    const isFixed = (path: string): boolean =>
      kinds.get(path)?.every(({ schema }) => schema.type === 'declared') === true;
    const kept = [...(this.#published?.documents ?? [])].filter(([path]) => isFixed(path));
    this.#published = { revision, kinds, documents: new Map(kept) };
    return this.#published;
  }
}

function contentsOf(kinds: readonly PublishedKind[], form: Form): OpenApiContents {
  const components = new Components(form);
  const paths = Object.fromEntries(kinds.flatMap((kind) => Object.entries(pathsOf(kind, components.add(kind)))));
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas: components.schemas } };
}

export interface OpenApiContents {
  readonly openapi: string;
  readonly info: typeof INFO;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const documentOf = (text: string): OpenApiDocument => ({
  text,
  hash: createHash('sha512').update(text).digest('hex').toUpperCase(),
});
