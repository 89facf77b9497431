/** At most one operation per key, with exponential backoff after failure (upstream: operationexecutor). */
export interface OperationExecutor {
  run(key: string, name: string, operation: (signal: AbortSignal) => Promise<void>): 'started' | 'pending' | 'backoff';
  isPending(key: string): boolean;
}
