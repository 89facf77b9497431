import { type ApiError, isApiError } from '../kube/api-error.ts';

export type Attempt<T, E extends Error> =
  | { readonly failed: false; readonly value: T }
  | { readonly failed: true; readonly error: E };

/**
 * An expected failure as a value: ApiErrors unless another family is named (`attempt(call, isCsiError)`). What is not
 * expected, a bug or the end of a wait, is thrown on.
 */
export function attempt<T>(operation: () => Promise<T>): Promise<Attempt<T, ApiError>>;
export function attempt<T, E extends Error>(
  operation: () => Promise<T>,
  isExpected: (error: unknown) => error is E,
): Promise<Attempt<T, E>>;
export async function attempt<T>(
  operation: () => Promise<T>,
  isExpected: (error: unknown) => error is Error = isApiError,
): Promise<Attempt<T, Error>> {
  try {
    return { failed: false, value: await operation() };
  } catch (error) {
    if (isExpected(error)) return { failed: true, error };
    throw error;
  }
}
