/** A key that somebody pastes: tried first, for one that opens nothing is not kept. */
import type { ProviderView } from "../../features/providers/schema.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import { api } from "../api.ts";
import { t } from "./texts.ts";

/** @returns why it is not kept, in words. @throws ApiProblem. */
export async function keepKey(id: string, pasted: string): Promise<string | undefined> {
  const { body: all } = await api.get<readonly ProviderView[]>("/providers");
  const saved = all.find((provider) => provider.id === id);
  const { source } = saved?.key.$secret ?? {};
  if (source?.startsWith("env:") === true) return t("keyFromVariable", { name: source.slice(4) });
  const key = { $secret: pasted.trim() };
  const { body: tried } = await api.post<TestResult>("/providers/test", { id, key });
  if (!tried.ok) return [tried.detail, tried.remedy].filter(Boolean).join(" ");
  const ground = saved === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${saved.hash}"` };
  await api.put(`/providers/${encodeURIComponent(id)}`, { key }, ground);
  return undefined;
}
