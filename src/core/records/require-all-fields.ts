/** T while K names every field of it: code that writes these fields by hand does not compile once T has another one. */
export type RequireAllFields<T, K extends keyof T> = Exclude<keyof T, K> extends never ? T : never;
