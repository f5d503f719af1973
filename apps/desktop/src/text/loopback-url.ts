/** Whether a URL leads to the machine it is used on: localhost, 127.0.0.0/8 or ::1. False for what is no URL. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  // URL gives the host in lower case and IPv4 in its usual form.
  const { hostname } = new URL(text);
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
