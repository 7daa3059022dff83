/** Skills: what there is, what they need, what an operator sees before they approve one. */
import { z } from "zod";

/** Of skills made here; those in folders may have other names. */
const NewSkillName = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  .max(64);

const Fields = {
  name: z.string(),
  description: z.string(),
  source: z.enum(["workspace", "bundled"]),
  always: z.boolean(),
  enabled: z.boolean(),
  /** `suspended`: changed since it was approved. `off`: disabled. `shadowed`: one of the workspace has its name. */
  state: z.enum(["ready", "missing", "unapproved", "suspended", "invalid", "off", "shadowed"]),
  missing: z.array(z.strictObject({ kind: z.enum(["bin", "env", "tool", "other"]), name: z.string() })),
  /** What it adds to every prompt. */
  tokens: z.number().int(),
  hash: z.string(),
  warnings: z.array(z.string()),
  /** Why it cannot be read. */
  reason: z.string().optional(),
};
export const SkillSchema = z.strictObject(Fields);
export const SkillList = z.strictObject({ items: z.array(SkillSchema) });

export const ReportSchema = z.strictObject({
  name: z.string(),
  hash: z.string(),
  bytes: z.number().int(),
  files: z.array(
    z.strictObject({ path: z.string(), bytes: z.number().int(), executable: z.boolean(), sha256: z.string() }),
  ),
  scripts: z.array(z.string()),
  hosts: z.array(z.string()),
  problems: z.array(z.string()),
  /** Files with characters that people do not see. */
  invisible: z.array(z.string()),
  /** Paths that are other than in the approved content. */
  changed: z.array(z.string()),
  reason: z.string().optional(),
});

export const SkillDetail = z.strictObject({
  ...Fields,
  /** The whole SKILL.md. */
  body: z.string(),
  report: ReportSchema,
  approvedAt: z.string().optional(),
});

const Body = z.string().min(1).max(1_000_000);
export const SkillCreate = z.strictObject({ name: NewSkillName, body: Body });
export const SkillWrite = z.strictObject({ body: Body });
export const SkillState = z.strictObject({
  enabled: z.boolean().optional(),
  /** The whole text in every prompt, instead of its description. */
  always: z.boolean().optional(),
});
export const SkillApprove = z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

export const StageQuery = z.strictObject({
  /** A folder or an archive of this machine, or `npm:` and a package, instead of an archive as the body. */
  source: z
    .string()
    .max(1000)
    .regex(/^[^\u0000-\u001f\u007f]+$/)
    .optional(),
});
export const StagedSchema = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), report: ReportSchema, replaces: z.boolean() })),
});
