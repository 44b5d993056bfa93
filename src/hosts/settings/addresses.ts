// Recognizes loopback and private addresses, and explains why an address can't be listened on.

/** Whether only this machine can reach the address. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/.test(hostname);
}

const BYTE = '(?:25[0-5]|2[0-4]\\d|1?\\d{1,2})';
/** RFC 1918, RFC 6598 (shared), RFC 3927 (link-local), RFC 4193 (unique local), fe80::/10. */
const PRIVATE = new RegExp(
  `^(?:10\\.${BYTE}|172\\.(?:1[6-9]|2\\d|3[01])|192\\.168|169\\.254|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7]))\\.${BYTE}\\.${BYTE}$|^f[cd][0-9a-f]{2}:[0-9a-f:]*$|^fe[89ab][0-9a-f]:[0-9a-f:]*(?:%\\w+)?$`,
  'i',
);

export const isPrivate = (address: string): boolean => PRIVATE.test(address);

/** `prefix`: of the settings' names, such as `OPS_`. An unknown error keeps its own message. */
export function addressProblem({ code, message }: NodeJS.ErrnoException, prefix = ''): string {
  if (code === 'EADDRINUSE') return `this port is in use; set ${prefix}PORT to a free one`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `the address is not on this machine; set ${prefix}HOST to one of this machine's`;
  }
  if (code === 'EACCES') return `this port requires privileges; set ${prefix}PORT to 1024 or above`;
  return message;
}
