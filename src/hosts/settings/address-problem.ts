// Why an address can't be listened on, in words that name its settings.

/** `prefix`: of the names of these settings, such as `OPS_`. An unknown error keeps its own message. */
export function addressProblem({ code, message }: NodeJS.ErrnoException, prefix = ''): string {
  if (code === 'EADDRINUSE') return `this port is in use; set ${prefix}PORT to a free one`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `the address is not on this machine; set ${prefix}HOST to one of its own`;
  }
  if (code === 'EACCES') return `this port requires privileges; set ${prefix}PORT to 1024 or above`;
  return message;
}
