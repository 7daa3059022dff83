/** The list of models a provider gives, or the problem that says why not. */
import { httpFetch } from "@margay/core/internal";
import { Problem } from "../../host/api/problem.ts";
import type { Call } from "../../host/api/route.ts";
import { reasonOf } from "../../models/connection.ts";
import { listModels, type Endpoint } from "../../models/model-list.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

const LIST_MS = 25_000;

/**
 * @returns Undefined: it has no such list.
 * @throws Problem `provider.*`.
 */
export async function modelsListed(
  id: string,
  endpoint: Endpoint,
  { services, signal }: Pick<Call<unknown, unknown>, "services" | "signal">,
): Promise<readonly string[] | undefined> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
  const list = await listModels(endpoint, httpFetch(), within).catch((error: unknown) => {
    // A draft's key is known to no redactor yet.
    const { key } = endpoint;
    const text = key === undefined || key.length < 4 ? reasonOf(error) : reasonOf(error).replaceAll(key, "[redacted]");
    throw new Problem(
      "provider.unreachable",
      told(
        { detail: TEXT.wasNotReached, remedy: TEXT.testConnectionSteps },
        { id, value: services.app.inside.redact(text) },
      ),
    );
  });
  if (list.status === "refused") throw refused(id, list.http);
  return list.status === "none" ? undefined : list.models;
}

function refused(id: string, status: number): Problem {
  const code =
    status === 401 || status === 403 ? "provider.auth" : status === 429 ? "provider.rate-limited" : "provider.failed";
  return new Problem(code, told({ detail: TEXT.answeredWhenAsked, remedy: TEXT.testConnectionSteps }, { id, status }));
}
