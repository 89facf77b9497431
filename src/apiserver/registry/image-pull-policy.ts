const NAME = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const HOST = '[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::[0-9]+)?';
const IMAGE = new RegExp(
  `^(?:${HOST}/)?(?<path>${NAME}(?:/${NAME})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?<digest>@[^@]+)?$`,
);
const PATH_LENGTH_MAX = 255;

/**
 * An image under a moving tag is pulled each time. What is no image name counts as one with a fixed tag, because upstream's
 * parser gives no tag then. kubernetes:pkg/apis/core/v1/defaults.go
 */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const groups = IMAGE.exec(image)?.groups;
  const path = groups?.['path'] ?? '';
  // A name of one part is one of the library.
  const length = path.length + (image.includes('/') ? 0 : 'library/'.length);
  if (groups === undefined || length > PATH_LENGTH_MAX) return 'IfNotPresent';
  const tag = groups['tag'] ?? (groups['digest'] === undefined ? 'latest' : '');
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}
