/** Channels as the gateway tells them. */
import type { z } from "zod";
import type { ChannelKindsSchema, PairingsSchema } from "../schema.ts";

export type { ChannelView, Contact, OutboxEntry } from "../schema.ts";
export type Kind = z.infer<typeof ChannelKindsSchema>[number];
export type PairingRequest = z.infer<typeof PairingsSchema>[number];
