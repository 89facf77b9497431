// The library as a whole, in a module of its own: one that is written as CommonJS cannot be cut off from the program and
// still be loaded by its names.
import * as grpcLibrary from '@grpc/grpc-js';

export { grpcLibrary };
