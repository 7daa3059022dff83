/** Files of the workspace that count as strangers' text, and vouching for them. */
import { z } from "zod";
import { Millis } from "../../protocol/common.ts";

const Path = z.string().min(1).max(4096);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const LabelsQuery = z.strictObject({
  /** A file, or a directory with all that is in it; default: all of the workspace. */
  path: Path.optional(),
});
export const LabelsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      /** Relative to the workspace; that of a directory ends with `/`. */
      path: z.string(),
      /** Why, for people. */
      cause: z.string().optional(),
      /** Since when. */
      at: Millis.optional(),
      bytes: z.number().int().nonnegative().optional(),
      /** Of a file: what is vouched for. */
      sha256: z.string().optional(),
      /** Of a repository: where it was cloned from, as long as nobody said whether it is the operator's. */
      origin: z.string().optional(),
    }),
  ),
});
export type Labels = z.infer<typeof LabelsSchema>;
/** What was shown: of a file with its hash. */
export const TrustBody = z
  .array(z.strictObject({ path: Path, sha256: Sha256.optional() }))
  .min(1)
  .max(5000);
/** Paths as they were listed. */
export const DisownBody = z.array(Path).min(1).max(5000);
export const TrustAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      path: z.string(),
      /** `changed`: it is not what was shown, and is left. `unknown`: nothing is labelled there, or nobody asked. */
      status: z.enum(["endorsed", "disowned", "changed", "unknown"]),
    }),
  ),
});
export type TrustAnswer = z.infer<typeof TrustAnswer>;
