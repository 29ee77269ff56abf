import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertAuthorized, assertSystem, createGate, operator, systemAuthority } from "../../src/access/gate.ts";
import { parseScope } from "../../src/access/scopes.ts";
import type { AccessContext, AuthorizedScopes, Scope, SystemAuthority } from "../../src/contracts/scope.ts";

const everywhere: readonly Scope[] = ["deployment", "platform", "team:acme", "team:zeta", "user:ada", "user:bob"];
const ada: AccessContext = { userId: "ada", teamId: "acme" };

describe("parseScope", () => {
  it("reads the four written forms and nothing else [T8 T53]", () => {
    for (const scope of [...everywhere, "team:a:b", "user:Ünïcode 1"]) expect(parseScope(scope)).toBe(scope);
    for (const text of ["", "Platform", "team:", "team: ", "user", "group:x", " team:a", "teams:a"]) {
      expect(() => parseScope(text)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    }
  });
});

describe("reading", () => {
  it("lets a caller read their own scopes and the deployment's; the platform's only where it is enabled [T8 T24 T27]", () => {
    expect(createGate().read(ada, everywhere).scopes).toEqual(["deployment", "team:acme", "user:ada"]);
    expect(createGate({ platform: true }).read(ada, everywhere).scopes).toEqual([
      "deployment",
      "platform",
      "team:acme",
      "user:ada",
    ]);
    expect(createGate({ deployment: false }).read({ userId: "bob" }, everywhere).scopes).toEqual(["user:bob"]);
  });

  it("gives an anonymous caller the deployment, and the platform only where it is opened to everyone [T8 T27]", () => {
    expect(createGate({ platform: true }).read({}, everywhere).scopes).toEqual(["deployment"]);
    expect(createGate({ deployment: false, platform: true }).read({}, everywhere).scopes).toEqual([]);
    const open = createGate({ platform: true, platformFor: "everyone" });
    expect(open.read({}, everywhere).scopes).toEqual(["deployment", "platform"]);
    expect(open.read({}, everywhere, ["team:acme", "user:ada", "platform"]).scopes).toEqual(["platform"]);
    expect(open.read(ada, everywhere).scopes).toEqual(["deployment", "platform", "team:acme", "user:ada"]);
    expect(() => open.write({}, "platform")).toThrow(expect.objectContaining({ code: "access-denied" }));
    for (const policy of [{ platformFor: "everyone" }, { platform: true, platformFor: "alien" as never }] as const)
      expect(() => createGate(policy)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });

  it("drops a requested scope that may not be read, without an error, and remembers that it was asked for [T25 L3]", () => {
    const proof = createGate().read(ada, everywhere, ["team:zeta", "team:acme"]);
    expect(proof.scopes).toEqual(["team:acme"]);
    expect(proof.requested).toEqual(["team:acme", "team:zeta"]);
    expect(createGate().read(ada, everywhere, ["user:bob"]).scopes).toEqual([]);
  });

  it("gives the operator every scope there is, platform disabled or not [T26]", () => {
    expect(createGate({ deployment: false }).read(operator, everywhere).scopes).toEqual(everywhere.toSorted());
    expect(createGate().read(operator, everywhere, ["team:zeta"]).scopes).toEqual(["team:zeta"]);
  });

  it("never widens: whatever is requested, a caller gets a subset of what they get unasked [T26 L3]", () => {
    const id = fc.constantFrom("ada", "bob", "acme", "zeta");
    const context = fc.record({ userId: id, teamId: id }, { requiredKeys: [] });
    fc.assert(
      fc.property(context, fc.subarray([...everywhere]), fc.boolean(), (caller, requested, platform) => {
        const gate = createGate({ platform });
        const unasked = gate.read(caller, everywhere).scopes;
        const asked = gate.read(caller, everywhere, requested).scopes;
        expect(asked).toEqual(unasked.filter((scope) => requested.includes(scope)));
        const others = unasked.filter((scope) => /^(team|user):/u.test(scope));
        const own = [caller.teamId && `team:${caller.teamId}`, caller.userId && `user:${caller.userId}`];
        expect(others.every((scope) => own.includes(scope))).toBe(true);
      }),
    );
  });
});

describe("writing", () => {
  it("lets callers write their own user and team scopes, the operator every one [L3]", () => {
    const gate = createGate({ platform: true });
    expect(gate.write(ada, "team:acme").scopes).toEqual(["team:acme"]);
    expect(gate.write(ada, "user:ada").scopes).toEqual(["user:ada"]);
    for (const scope of ["deployment", "platform", "team:zeta", "user:bob"] as const) {
      expect(() => gate.write(ada, scope)).toThrow(expect.objectContaining({ code: "access-denied" }));
      expect(gate.write(operator, scope).scopes).toEqual([scope]);
    }
    expect(gate.writable(ada, everywhere)).toEqual(["team:acme", "user:ada"]);
  });
});

describe("proofs", () => {
  it("cannot be made by anybody else, copied, or used for another right [T26 L3]", () => {
    const gate = createGate();
    const read = gate.read(ada, everywhere);
    const write = gate.write(ada, "user:ada");
    expect(() => assertAuthorized(read, "read")).not.toThrow();
    expect(() => assertAuthorized(write, "write")).not.toThrow();
    const forged: readonly unknown[] = [
      { right: "read", scopes: ["team:zeta"], requested: [] },
      { ...read },
      structuredClone(read),
      Object.create(read),
      new Proxy(read, {}),
      undefined,
      null,
      "read",
    ];
    for (const value of forged) {
      expect(() => assertAuthorized(value as AuthorizedScopes, "read")).toThrow(
        expect.objectContaining({ code: "access-denied" }),
      );
    }
    expect(() => assertAuthorized(read, "write")).toThrow(expect.objectContaining({ code: "access-denied" }));
    expect(() => assertAuthorized(write, "read")).toThrow(expect.objectContaining({ code: "access-denied" }));
  });

  it("are frozen all the way down [L3]", () => {
    const read = createGate().read(ada, everywhere);
    expect(() => (read.scopes as Scope[]).push("team:zeta")).toThrow(TypeError);
    expect(() => Object.assign(read, { scopes: ["team:zeta"] })).toThrow(TypeError);
  });

  it("keep reading and maintenance apart [L3]", () => {
    const authority = systemAuthority();
    expect(() => assertSystem(authority)).not.toThrow();
    expect(() => assertAuthorized(authority as unknown as AuthorizedScopes, "read")).toThrow(
      expect.objectContaining({ code: "access-denied" }),
    );
    for (const value of [{}, createGate().read(ada, everywhere), null]) {
      expect(() => assertSystem(value as SystemAuthority)).toThrow(expect.objectContaining({ code: "access-denied" }));
    }
  });
});
