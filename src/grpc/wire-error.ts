/** Bytes that are not protobuf, or not protobuf of the message they are said to be. Never a bug of ours. */
export class WireError extends Error {
  override readonly name = 'WireError';
}
