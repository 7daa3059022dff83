/** Headers of every answer. */

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(self)",
};

/** What the gateway's own document may load and do. @param host of the request, which was checked. */
export function contentSecurityPolicy(host: string, secure: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src blob:",
    "font-src 'self'",
    `connect-src 'self' ${secure ? "wss" : "ws"}://${host}`,
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** The documentation reads its search index, and nothing else: no socket, no frame, no form. */
export const HELP_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Nothing in such an answer can act, wherever it is opened. */
export const INERT_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; sandbox",
};
