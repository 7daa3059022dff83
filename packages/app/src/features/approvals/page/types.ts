/** Approvals as the gateway tells them. */
import type { z } from "zod";
import type { ApprovalPage } from "../approvals-schema.ts";

export type Approvals = z.infer<typeof ApprovalPage>;
export type Approval = Approvals["items"][number];
