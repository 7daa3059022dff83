import type { Sender } from "@margay/core";

/** Who sits at the machine itself: its commands, its terminal, its pages. */
export const OPERATOR: Sender = { id: "user", kind: "person" };
