/** How both directions of the webhook are signed: HMAC-SHA256 over the time and the bytes as they travel. */
import { createHmac, timingSafeEqual } from "node:crypto";

export const SIGNATURE_HEADER = "x-margay-signature";
export const TIMESTAMP_HEADER = "x-margay-timestamp";

/** A signature is believed this long, either way: clocks differ, and a recorded request must not work tomorrow. */
export const WINDOW_SECONDS = 300;

/** @param timestamp Seconds since 1970, as they stand in the header. */
export function sign(secret: string, timestamp: string, body: string | Uint8Array): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")}`;
}

/** @param now Milliseconds since 1970. */
export function isTimely(timestamp: string, now: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= WINDOW_SECONDS;
}

/** In the same time for every wrong signature. */
export function isSigned(secret: string, timestamp: string, body: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(sign(secret, timestamp, body));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
