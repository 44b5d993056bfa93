// Why an address cannot be listened on, in words that name the settings of it.

/** `prefix`: the first letters of these settings, such as `OPS_`. Undefined: another cause. */
export function addressProblem(error: unknown, prefix = ''): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `another program has this port; set ${prefix}PORT to a free one`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `the address is not on this machine; set ${prefix}HOST to one of its own`;
  }
  if (code === 'EACCES') return `this port requires privileges; set ${prefix}PORT to 1024 or above`;
  return undefined;
}
