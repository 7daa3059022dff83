/** Channels as the gateway tells them. */
import type { z } from "zod";
import type { ChannelKindsSchema, PairingsSchema } from "../../../../../app/src/gateway/schema/channels.ts";

export type { ChannelView, Contact, OutboxEntry } from "../../../../../app/src/gateway/schema/channels.ts";
export type Kind = z.infer<typeof ChannelKindsSchema>[number];
export type PairingRequest = z.infer<typeof PairingsSchema>[number];
