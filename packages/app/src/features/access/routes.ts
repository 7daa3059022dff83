/** Logins, browsers, tokens and the password. */
import { allows } from "../../host/auth/credential.ts";
import { cookieName } from "../../host/auth/identify.ts";
import { audited, confirm, exchange, login, setUp } from "../../host/auth/login.ts";
import type { BrowserLogin, Client } from "../../host/auth/store.ts";
import { Problem } from "../../host/api/problem.ts";
import { mayOf } from "../../host/live/of-persons.ts";
import { route, type Call, type Reply, type Route } from "../../host/api/route.ts";
import { createToken, listTokens, personNamed, revokeToken, rotateToken, setPassword } from "./actions.ts";
import {
  AuthStateResponse,
  BrowsersResponse,
  CodeBody,
  ConfirmBody,
  FreshResponse,
  LinkBody,
  LinkResponse,
  LoginResponse,
  NewTokenBody,
  NewTokenResponse,
  PasswordBody,
  RotateBody,
  RotateResponse,
  SetupBody,
  TokensResponse,
} from "./schema.ts";

type AnyCall = Call<unknown, unknown>;

export const AUTH_ROUTES: readonly Route[] = [
  route({
    id: "getAuthState",
    method: "GET",
    path: "/auth/state",
    scope: "public",
    summary: "Whether the caller is logged in, and how one gets in",
    response: AuthStateResponse,
    handle: (call) => ({ body: stateOf(call) }),
  }),
  route({
    id: "exchangeLoginCode",
    method: "POST",
    path: "/auth/exchange",
    scope: "public",
    summary: "Log a browser in with the one-use code of a link",
    body: CodeBody,
    response: LoginResponse,
    errors: ["auth.invalid", "auth.code-used", "auth.code-expired", "auth.locked"],
    handle: async (call) => loggedIn(call, await exchange(call.services, call.body.code, clientOf(call))),
  }),
  route({
    id: "login",
    method: "POST",
    path: "/auth/login",
    scope: "public",
    summary: "Log a browser in with the password",
    body: PasswordBody,
    response: LoginResponse,
    errors: ["auth.invalid", "auth.locked"],
    handle: async (call) => loggedIn(call, await login(call.services, call.body.password, clientOf(call))),
  }),
  route({
    id: "setUp",
    method: "POST",
    path: "/auth/setup",
    scope: "public",
    summary: "Set the first password with the link of the terminal",
    body: SetupBody,
    response: LoginResponse,
    errors: [
      "auth.invalid",
      "auth.code-used",
      "auth.code-expired",
      "auth.setup-closed",
      "auth.weak-password",
      "auth.locked",
    ],
    handle: async (call) => loggedIn(call, await setUp(call.services, call.body, clientOf(call))),
  }),
  route({
    id: "confirm",
    method: "POST",
    path: "/auth/confirm",
    scope: "read",
    summary: "Prove again who you are: ten minutes as owner",
    body: ConfirmBody,
    response: FreshResponse,
    errors: ["auth.invalid", "auth.code-used", "auth.code-expired", "auth.locked"],
    handle: async (call) => {
      const { id, kind } = credentialOf(call);
      if (kind !== "browser") throw new Problem("auth.scope", "Only a browser's login takes a fresh proof.");
      return { body: { freshUntil: await confirm(call.services, call.body, id, clientOf(call)) } };
    },
  }),
  route({
    id: "logout",
    method: "POST",
    path: "/auth/logout",
    scope: "read",
    ofPersons: true,
    summary: "End this browser's login and close its sockets",
    status: 204,
    handle: async (call) => {
      const { id, kind } = credentialOf(call);
      if (kind !== "browser") throw new Problem("auth.scope", "A token does not log out: revoke it.");
      await call.services.auth.closeBrowser(id);
      audited(call.services, "auth.logout", { browser: id });
      return { headers: { "set-cookie": cookieHeader(call, "", 0) } };
    },
  }),
  route({
    id: "setPassword",
    method: "PUT",
    path: "/auth/password",
    scope: "owner",
    summary: "Change the password; all other browsers are logged out",
    body: PasswordBody,
    status: 204,
    errors: ["auth.weak-password"],
    handle: async (call) => {
      const { id, kind } = credentialOf(call);
      await setPassword(call.services, call.body.password, id, kind === "browser" ? id : undefined);
      return {};
    },
  }),
  route({
    id: "listBrowsers",
    method: "GET",
    path: "/auth/browsers",
    scope: "admin",
    summary: "Browsers that are logged in",
    response: BrowsersResponse,
    handle: ({ services, credential }) => ({
      body: {
        items: services.auth.browsers().map((one) => ({
          id: one.id,
          current: one.id === credential?.id,
          userAgent: one.userAgent,
          address: one.address,
          createdAt: one.createdAt,
          lastSeenAt: one.lastSeenAt,
          expiresAt: Math.min(one.endsAt, one.lastSeenAt + one.idleMs),
          ...(one.for !== undefined && { for: one.for }),
        })),
      },
    }),
  }),
  route({
    id: "closeBrowser",
    method: "DELETE",
    path: "/auth/browsers/{id}",
    scope: "admin",
    summary: "Log a browser out and close its sockets",
    status: 204,
    errors: ["request.not-found"],
    handle: async (call) => {
      const id = call.params["id"] ?? "";
      if (!(await call.services.auth.closeBrowser(id))) throw unknownEntry("browser");
      audited(call.services, "auth.browser-closed", { browser: id, by: credentialOf(call).id });
      return {};
    },
  }),
  route({
    id: "listTokens",
    method: "GET",
    path: "/auth/tokens",
    scope: "admin",
    summary: "Tokens, without their secrets",
    response: TokensResponse,
    handle: ({ services }) => ({ body: { items: listTokens(services) } }),
  }),
  route({
    id: "createToken",
    method: "POST",
    path: "/auth/tokens",
    scope: "owner",
    summary: "Make a token; its secret is shown only here",
    body: NewTokenBody,
    status: 201,
    response: NewTokenResponse,
    handle: async (call) => ({ body: await createToken(call.services, call.body, credentialOf(call).id) }),
  }),
  route({
    id: "rotateToken",
    method: "POST",
    path: "/auth/tokens/{id}/rotate",
    scope: "owner",
    summary: "A new secret; the old one is refused at once or after a grace time",
    body: RotateBody,
    response: RotateResponse,
    errors: ["request.not-found"],
    handle: async (call) => {
      const id = call.params["id"] ?? "";
      const token = await rotateToken(call.services, id, call.body.graceSec, credentialOf(call).id);
      if (token === undefined) throw unknownEntry("token");
      return { body: { token } };
    },
  }),
  route({
    id: "revokeToken",
    method: "DELETE",
    path: "/auth/tokens/{id}",
    scope: "admin",
    summary: "Refuse a token from now on and close its sockets",
    status: 204,
    errors: ["request.not-found"],
    handle: async (call) => {
      const id = call.params["id"] ?? "";
      if (!(await revokeToken(call.services, id, credentialOf(call).id))) throw unknownEntry("token");
      return {};
    },
  }),
  route({
    id: "mintCode",
    method: "POST",
    path: "/auth/codes",
    scope: "owner",
    summary: "A one-use code for `margay open`, only for commands on this machine",
    body: LinkBody,
    status: 201,
    response: LinkResponse,
    handle: (call) => {
      if (credentialOf(call).kind !== "local")
        throw new Problem("auth.scope", "Only a command on the gateway's own machine can make a login code.");
      const { kind, for: person } = call.body;
      return { body: call.services.auth.codes.mint(kind, personNamed(call.services, person)) };
    },
  }),
];

function stateOf(call: AnyCall): unknown {
  const { services, credential } = call;
  const person = mayOf(call);
  const { auth, app } = services;
  const { host, tls, publicUrl } = app.inside.loaded().config.gateway;
  const isFresh = credential !== undefined && allows(credential, "owner", app.clock.now());
  return {
    authenticated: credential !== undefined,
    setup: !auth.hasPassword() && auth.codes.waits("setup"),
    methods: auth.hasPassword() ? ["code", "password"] : ["code"],
    ...(credential !== undefined && {
      scope: isFresh ? [...new Set(["owner", ...credential.scopes])] : [...credential.scopes],
      ...(credential.freshUntil !== undefined && { freshUntil: credential.freshUntil }),
      ...(credential.expiresAt !== undefined && { expiresAt: credential.expiresAt }),
      ...(credential.for === undefined
        ? { exposure: { bind: host, tls: tls !== null, public: publicUrl } }
        : { for: credential.for }),
      ...(person !== undefined && { person }),
    }),
  };
}

function loggedIn(call: AnyCall, { credential, cookie, key, expiresAt, maxAgeMs }: BrowserLogin): Reply {
  const person = mayOf({ services: call.services, credential });
  const body = { key, expiresAt, ...(person !== undefined && { person }) };
  return { body, headers: { "set-cookie": cookieHeader(call, cookie, maxAgeMs) } };
}

/** It holds a random id, never a token, and is worth nothing without the key that the page keeps. */
function cookieHeader({ services, headers }: AnyCall, value: string, maxAgeMs: number): string {
  const { tls, publicUrl } = services.app.inside.loaded().config.gateway;
  const isSecure =
    tls !== null || (publicUrl?.startsWith("https:") === true && new URL(publicUrl).host === headers["host"]);
  const name = cookieName(Number(new URL(services.origin()).port), isSecure);
  const parts = [`${name}=${value}`, "HttpOnly", "SameSite=Strict", "Path=/", `Max-Age=${Math.floor(maxAgeMs / 1000)}`];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

function clientOf({ address, headers }: AnyCall): Client {
  return { address, userAgent: headers["user-agent"] ?? "" };
}

function credentialOf({ credential }: AnyCall): NonNullable<AnyCall["credential"]> {
  if (credential === undefined) throw new Problem("auth.required", "This needs a login or a token.");
  return credential;
}

function unknownEntry(kind: string): Problem {
  return new Problem("request.not-found", `There is no ${kind} with this id.`);
}
