/** Wire shapes of MCP servers. */
import { z } from "zod";
import { MaskSchema, SecretInput } from "../settings/schema.ts";
import { TestResultSchema } from "../../protocol/test-result.ts";

/** It becomes part of tool names. */
export const McpName = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/);

const EffectSchema = z.enum(["read", "idempotent", "write"]);
const TextChangeSchema = z.strictObject({ before: z.string().optional(), after: z.string().optional() });
const ToolChangeSchema = TextChangeSchema.extend({
  tool: z.string(),
  kind: z.enum(["added", "removed", "changed"]),
  /** What the server calls it; where it differs. */
  effect: z.strictObject({ before: EffectSchema.optional(), after: EffectSchema.optional() }).optional(),
  /** JSON Schemas, where they differ. */
  parameters: TextChangeSchema.optional(),
});

export const McpServerSchema = z.strictObject({
  name: z.string(),
  transport: z.enum(["stdio", "http"]),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  env: z.record(z.string(), MaskSchema).optional(),
  headers: z.record(z.string(), MaskSchema).optional(),
  /** Its tools that are offered; `*`: all. */
  include: z.array(z.string()),
  /** Of a program: `false` runs it with all rights of margay. */
  sandbox: z.boolean().optional(),
  /** Hosts the confined program may reach. */
  network: z.array(z.string()).optional(),
  /** Folders it may write to. */
  writable: z.array(z.string()).optional(),
  /** Whose conversations may use its tools; absent where nobody but the owner is there to use them. */
  for: z.array(z.string()).optional(),
  /** Of a call. */
  timeoutMs: z.number(),
  enabled: z.boolean(),
  /** `login`: a person has to sign in. `unapproved`: nobody has approved its tools. `changed`: they are others than those. */
  state: z.enum(["off", "connecting", "up", "failed", "login", "changed", "unapproved"]),
  /** Whether a person approved what it said of itself when it was connected last. */
  approved: z.boolean(),
  tools: z.number(),
  manifestHash: z.string().optional(),
  /** What waits to be approved: all of them when none was. */
  changes: z.array(ToolChangeSchema),
  /** What it says of itself as a whole, when that waits too. */
  instructions: TextChangeSchema.optional(),
  hash: z.string(),
  error: z.string().optional(),
});
export const McpServersSchema = z.array(McpServerSchema);

const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,100}$/);
const HeaderName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/);
const SecretText = z.union([SecretInput, z.string().max(16_384), z.null()]);

export const McpServerBody = z.strictObject({
  command: z.string().min(1).max(4096).meta({ format: "line" }).optional(),
  args: z.array(z.string().max(8192)).max(200).meta({ format: "lines" }).optional(),
  env: z.record(VariableName, SecretText).optional(),
  url: z.string().max(2048).meta({ format: "uri" }).optional(),
  headers: z.record(HeaderName, SecretText).optional(),
  include: z.array(z.string().min(1).max(200)).max(500).optional(),
  enabled: z.boolean().optional(),
  /** Of a program; when it is the same as before, what is not given stays. */
  sandbox: z.boolean().optional(),
  network: z.array(z.string().max(300)).max(200).meta({ format: "lines" }).optional(),
  writable: z.array(z.string().min(1).max(4096)).max(100).meta({ format: "lines" }).optional(),
  for: z.array(z.string().min(1).max(80)).max(200).meta({ format: "lines" }).optional(),
  /** The command line as it was shown: `[command, ...args].join(" ")`. Needed when it is new or another one. */
  confirm: z.string().max(20_000).optional(),
});

export const McpTestBody = McpServerBody.extend({ name: McpName.optional() });

export const McpToolsSchema = z.array(
  z.strictObject({
    name: z.string(),
    /** As `include` names it. */
    own: z.string(),
    /** Offered to the agent. */
    enabled: z.boolean(),
    effect: EffectSchema,
    description: z.string(),
    schema: z.record(z.string(), z.json()),
    /** Estimated, of its definition in each request. */
    tokens: z.number(),
  }),
);

export const McpTestResult = TestResultSchema.extend({
  /** Also those that would not be offered. */
  tools: McpToolsSchema.optional(),
  manifestHash: z.string().optional(),
  /** Whether that is what a person approved. */
  approved: z.boolean().optional(),
});

export const McpApproveBody = z.strictObject({ manifestHash: z.string() });

export const McpLogSchema = z.array(
  z.strictObject({ at: z.number(), level: z.enum(["debug", "info", "warn", "error"]), text: z.string() }),
);

/** The JSON that other programs keep their servers in; what margay does not know is named in `warnings`. */
export const McpImportBody = z.strictObject({
  mcpServers: z.record(z.string(), z.looseObject({})),
  /** Of the dry run that was looked at. Without it nothing is written. */
  token: z.string().optional(),
});
export const McpImportResult = z.strictObject({
  servers: z.array(
    z.strictObject({
      name: z.string(),
      transport: z.enum(["stdio", "http"]),
      /** The exact command line, or the address. */
      what: z.string(),
      action: z.enum(["add", "change", "same"]),
    }),
  ),
  warnings: z.array(z.string()),
  token: z.string(),
  applied: z.boolean(),
});
export const McpExport = z.strictObject({ mcpServers: z.record(z.string(), z.record(z.string(), z.json())) });

export const OAuthStart = z.strictObject({ url: z.string(), expiresAt: z.number() });
export const OAuthQuery = z.looseObject({ state: z.string().max(200).optional() });

export type McpServerView = z.infer<typeof McpServerSchema>;
export type McpServerDraft = z.infer<typeof McpServerBody>;
