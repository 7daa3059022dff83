/** Channels as the gateway tells them. */
import type { z } from "zod";
import type { BudgetsResult } from "../../usage/budgets-schema.ts";
import type { ExplanationSchema, PeopleSchema, SharesSchema } from "../../people/schema.ts";
import type { ChannelKindsSchema, GroupsSchema, PairingsSchema } from "../schema.ts";

export type { ChannelView, Contact, OutboxEntry } from "../schema.ts";
export type Kind = z.infer<typeof ChannelKindsSchema>[number];
export type AbsentKind = Extract<Kind, { plugin: string }>;
export type InstalledKind = Exclude<Kind, AbsentKind>;
export type PairingRequest = z.infer<typeof PairingsSchema>[number];
export type Person = z.infer<typeof PeopleSchema>[number];
export type Budgets = z.infer<typeof BudgetsResult>;
export type Spent = Budgets["people"][number];
export type Share = z.infer<typeof SharesSchema>[number];
export type GroupsView = z.infer<typeof GroupsSchema>;
export type GroupView = GroupsView["groups"][number];
export type Explanation = z.infer<typeof ExplanationSchema>;
