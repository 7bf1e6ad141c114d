/**
 * T, if K names every field of it: code that writes these fields by hand does not compile after T gets another field.
 */
export type RequireAllFields<T, K extends keyof T> = Exclude<keyof T, K> extends never ? T : never;
