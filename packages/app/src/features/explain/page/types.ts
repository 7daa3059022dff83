/** What the explanation of a turn looks like: the types of the gateway's own schema. */
import type { z } from "zod";
import type { ExplainResult, ExplainStep, TurnBranchesResult } from "../schema.ts";

export type Explanation = z.infer<typeof ExplainResult>;
export type Step = z.infer<typeof ExplainStep>;
export type Request = NonNullable<Step["request"]>;
export type TurnBranch = z.infer<typeof TurnBranchesResult>["items"][number];
