/** Tokens of programs: made, shown once, rotated, revoked. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import NewTokenBody from "virtual:form/access/schema.ts#NewTokenBody";
import type { NewTokenBody as Body, NewTokenResponse, TokensResponse } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Select } from "../../../web/ui/field.tsx";
import { fieldsOf } from "../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../web/ui/schema-form.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { Copy } from "../../../web/panel-kit/copy.tsx";
import { dateTime, money } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { nowMs } from "../../../web/panel-kit/time.ts";

const DAYS = [0, 7, 30, 90, 365];

type Token = z.infer<typeof TokensResponse>["items"][number];

export function Tokens() {
  const tokens = useResource<z.infer<typeof TokensResponse>>("/auth/tokens");
  const acting = useAct();
  const [shown, setShown] = useState<string | undefined>(undefined);
  const [adding, setAdding] = useState(false);
  const act = (work: () => Promise<unknown>): void =>
    void acting.run(async () => {
      await work();
      await tokens.reload();
    });
  const rotate = (id: string): void =>
    act(async () =>
      setShown(
        (await api.post<{ readonly token: string }>(`/auth/tokens/${encodeURIComponent(id)}/rotate`, {})).body.token,
      ),
    );
  const revoke = (id: string): void => act(() => api.delete(`/auth/tokens/${encodeURIComponent(id)}`));
  return (
    <section class="stack">
      <div class="p-row">
        <h3 class="grow">{t("tokens")}</h3>
        <Button icon="plus" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {t("newToken")}
        </Button>
      </div>
      {adding && (
        <NewToken
          done={(token) => {
            setShown(token);
            setAdding(false);
            void tokens.reload();
          }}
        />
      )}
      {shown !== undefined && <Shown token={shown} close={() => setShown(undefined)} />}
      <Outcome of={acting} />
      <Loaded of={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t("noTokens")}</Empty>
          ) : (
            <TokenTable items={items} rotate={rotate} revoke={revoke} />
          )
        }
      </Loaded>
    </section>
  );
}

/** A token that was just made: it is shown this once. */
function Shown({ token, close }: { readonly token: string; readonly close: () => void }) {
  return (
    <div class="note-box" role="status">
      <div class="stack grow">
        <strong>{t("tokenOnce")}</strong>
        <Copy text={token} />
        <span class="p-faint">{t("tokenExample")}</span>
        <Copy text={`curl -H "Authorization: Bearer ${token}" ${location.origin}/v1/models`} />
      </div>
      <Button size="small" kind="quiet" icon="close" label={c("close")} onClick={close} />
    </div>
  );
}

interface TokenTableProps {
  readonly items: readonly Token[];
  readonly rotate: (id: string) => void;
  readonly revoke: (id: string) => void;
}

function TokenTable({ items, rotate, revoke }: TokenTableProps) {
  return (
    <Table
      caption={t("tokens")}
      rows={items}
      rowKey={({ id }) => id}
      columns={[
        { id: "name", title: c("name"), cell: ({ name }) => name, sort: ({ name }) => name },
        {
          id: "scopes",
          title: t("scopes"),
          cell: ({ scopes }) => scopes.map((scope) => t(`scopes_${scope}`)).join(", "),
        },
        { id: "for", title: t("tokenFor"), cell: (token) => token.for ?? t("tokenOwner") },
        {
          id: "created",
          title: t("created"),
          cell: ({ createdAt }) => dateTime(createdAt),
          sort: ({ createdAt }) => createdAt,
        },
        {
          id: "until",
          title: t("until"),
          cell: ({ expiresAt }) => (expiresAt === undefined ? t("expiresNever") : dateTime(expiresAt)),
          sort: ({ expiresAt }) => expiresAt,
        },
        {
          id: "budget",
          title: t("perDay"),
          cell: ({ budgetUsdPerDay }) => (budgetUsdPerDay === undefined ? "" : money(budgetUsdPerDay)),
          align: "end",
        },
        {
          id: "do",
          title: c("actions"),
          cell: ({ id, name }) => (
            <div class="p-row">
              <ConfirmButton
                size="small"
                kind="quiet"
                verb={t("rotate")}
                text={t("rotateAsk", { name })}
                go={() => rotate(id)}
              />
              <ConfirmButton
                size="small"
                kind="quiet"
                verb={t("revoke")}
                text={t("revokeToken", { name })}
                go={() => revoke(id)}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

type Draft = z.infer<typeof Body>;

const NEW: Draft = { name: "", scopes: ["chat"] };

function NewToken({ done }: { readonly done: (token: string) => void }) {
  const [days, setDays] = useState("90");
  const form = useForm<Draft, string>({
    name: "security/token/~new",
    saved: NEW,
    hash: undefined,
    fields: fieldsOf(NewTokenBody, ["name", "scopes", "expiresAt", "budgetUsdPerDay", "for"], t.find),
    write: async (value) => {
      const until = days === "0" ? {} : { expiresAt: Math.round(nowMs()) + Number(days) * 86_400_000 };
      return (await api.post<z.infer<typeof NewTokenResponse>>("/auth/tokens", { ...value, ...until })).body.token;
    },
    done: (_draft, token) => done(token),
  });
  const own: OwnControls = {
    expiresAt: () => (
      <Select
        label={t("expiresIn")}
        value={days}
        onValue={setDays}
        options={DAYS.map((n) => ({ value: String(n), label: n === 0 ? t("expiresNever") : t("expiresDays", { n }) }))}
      />
    ),
  };
  const { name, scopes } = form.value;
  return (
    <div class="p-card">
      <ResourceForm form={form} own={own} ready={name.trim() !== "" && scopes.length > 0} verb={t("create")} />
    </div>
  );
}
