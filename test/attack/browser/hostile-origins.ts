import { OWN_HOST, type Site } from './attempts.ts';

/** Values of one header, in order: none, one, or several. */
export type Values = readonly string[];

/** Headers `Origin` that must not be accepted, by name. The service is addressed as `OWN_HOST`. */
export function hostileOrigins({ port, listed }: Site): readonly (readonly [name: string, values: Values])[] {
  const own = `http://${OWN_HOST}:${port}`;
  const listedHost = new URL(listed).host;
  return [
    ['a foreign page', ['https://evil.example']],
    ['another port', [`http://${OWN_HOST}:${port + 1}`]],
    ['no port', [`http://${OWN_HOST}`]],
    ['another scheme', [`https://${OWN_HOST}:${port}`]],
    ['a WebSocket scheme', [`ws://${OWN_HOST}:${port}`]],
    ['an FTP scheme', [`ftp://${OWN_HOST}:${port}`]],
    ['an opaque origin', ['null']],
    ['an empty value', ['']],
    ['a subdomain', [`http://evil.${OWN_HOST}:${port}`]],
    ['the own name as a subdomain', [`http://${OWN_HOST}.evil.example:${port}`]],
    ['the own name as a suffix', [`http://evil${OWN_HOST}:${port}`]],
    ['the own origin as a prefix', [`${own}.evil.example`]],
    ['user information', [`http://${OWN_HOST}:${port}@evil.example`]],
    ['user information before the own host', [`http://evil@${OWN_HOST}:${port}`]],
    ['an IDN that looks like the host', [`http://loc\u0430lhost:${port}`]],
    ['an encoded IDN', [`http://xn--loclhost-5fg:${port}`]],
    ['full-width letters', [`http://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54:${port}`]],
    ['another address of the loopback', [`http://[::1]:${port}`]],
    ['the address for the name', [`http://127.0.0.1:${port}`]],
    ['a decimal address', [`http://2130706433:${port}`]],
    ['an IPv6 address of others', [`http://[2001:db8::66]:${port}`]],
    ['a trailing dot', [`http://${OWN_HOST}.:${port}`]],
    ['upper case', [`HTTP://${OWN_HOST.toUpperCase()}:${port}`]],
    ['a trailing slash', [`${own}/`]],
    ['a path', [`${own}/evil`]],
    ['a query', [`${own}?evil`]],
    ['a fragment', [`${own}#evil`]],
    ['a percent escape', [`http://%6cocalhost:${port}`]],
    ['a backslash', [`http://${OWN_HOST}:${port}\\.evil.example`]],
    ['a host without a scheme', [`${OWN_HOST}:${port}`]],
    ['a relative scheme', [`//${OWN_HOST}:${port}`]],
    ['a port with zeros', [`http://${OWN_HOST}:0${port}`]],
    ['two origins in one header', [`${own} https://evil.example`]],
    ['two origins with a comma', [`https://evil.example, ${own}`]],
    ['two headers, the own one first', [own, 'https://evil.example']],
    ['two headers, the own one last', ['https://evil.example', own]],
    ['the own origin twice', [own, own]],
    ['a star', ['*']],
    ['a file', ['file://']],
    ['an extension', ['chrome-extension://abcdefghijklmnop']],
    ['the listed host with another scheme', [`http://${listedHost}`]],
    ['the listed host with another port', [`${listed}:8443`]],
    ['a subdomain of the listed host', [`https://evil.${listedHost}`]],
    ['the listed origin as a prefix', [`${listed}.evil.example`]],
    ['the listed host as a suffix', [`https://evil${listedHost}`]],
    ['the listed origin in upper case', [listed.toUpperCase()]],
    ['the default port of the listed origin', [`${listed}:443`]],
    ['the listed origin with a slash', [`${listed}/`]],
  ];
}

/** Headers `Referer` that do not name an allowed page, by name. They count only without `Origin`. */
export function hostileReferers({ port }: Site): readonly (readonly [name: string, values: Values])[] {
  const own = `http://${OWN_HOST}:${port}`;
  return [
    ['a foreign page', ['https://evil.example/farm']],
    ['the own address in the path', [`https://evil.example/${own}`]],
    ['the own address in the query', [`https://evil.example/?${own}/`]],
    ['the own origin as a prefix', [`${own}.evil.example/`]],
    ['user information', [`http://${OWN_HOST}:${port}@evil.example/`]],
    ['user information with a slash', [`http://evil@${OWN_HOST}:${port}/`]],
    ['a backslash', [`http://${OWN_HOST}:${port}\\@evil.example/`]],
    ['another port', [`http://${OWN_HOST}:${port + 1}/`]],
    ['another scheme', [`https://${OWN_HOST}:${port}/`]],
    ['no URL', ['farm']],
    ['an empty value', ['']],
    ['a relative URL', ['/farm']],
    ['a data URL', ['data:text/html,x']],
    ['an empty page', ['about:blank']],
    ['two headers', [`${own}/`, 'https://evil.example/']],
    ['two headers, the own one last', ['https://evil.example/', `${own}/`]],
  ];
}
