import type { Sender } from "../contract/message.ts";

/** The person at the machine itself, where nobody else is named. */
export const OPERATOR: Sender = { id: "user", kind: "person" };
