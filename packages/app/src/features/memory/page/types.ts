/** Memory as the gateway tells it. */
import type { z } from "zod";
import type { MemoryFacts, MemoryFileList, MemoryText, SearchResult, VersionPage, VersionText } from "../schema.ts";

export type Files = z.infer<typeof MemoryFileList>;
export type Facts = z.infer<typeof MemoryFacts>;
export type Fact = Facts["items"][number];
export type FileText = z.infer<typeof MemoryText>;
export type Versions = z.infer<typeof VersionPage>;
export type OldText = z.infer<typeof VersionText>;
export type Found = z.infer<typeof SearchResult>;
