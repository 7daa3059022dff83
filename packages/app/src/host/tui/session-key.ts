/** The name of a conversation that nobody named. */
import { randomBytes } from "node:crypto";
import { systemClock, TEMPORARY } from "@margay/core/internal";

/** One that `newSessionKey` made. */
export const MADE_KEY = /^cli:\d{8}-\d{6}-[0-9a-f]{4}$/;

/** `cli:20261129-160512-3fa9`: by when it began, and no two terminals get the same. */
export function newSessionKey(): string {
  return `cli:${newName()}`;
}

/** Of a conversation that goes when it is left. */
export function newTemporaryKey(): string {
  return `${TEMPORARY}:${newName()}`;
}

function newName(): string {
  const at = new Date(systemClock().now()).toISOString().replaceAll(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${at}-${randomBytes(2).toString("hex")}`;
}
