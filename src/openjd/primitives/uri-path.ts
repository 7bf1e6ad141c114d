/** Reports whether a path is a URI: `scheme://…`. */
export const isUriPath = (path: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(path);
