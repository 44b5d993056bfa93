// Addresses of this machine and of private networks.

/** Whether the address is this machine's only. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/.test(hostname);
}

/** RFC 1918, RFC 6598 (shared), RFC 3927 (link-local), RFC 4193 (unique local), fe80::/10. */
export function isPrivate(address: string): boolean {
  if (/^f[cd][0-9a-f]{2}:[0-9a-f:]*$/i.test(address)) return true;
  if (/^fe[89ab][0-9a-f]:[0-9a-f:]*(?:%\w+)?$/i.test(address)) return true;
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return false;
  const [first = 0, second = 0] = parts;
  if (first === 10) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}
