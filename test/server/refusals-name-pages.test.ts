import { expect, it, onTestFinished } from "vitest";
import { IbidError } from "../../src/contracts/errors.ts";
import { startWorld } from "./service.ts";

it("a refusal names the page of its code where the library has one, and none without a site", async () => {
  const { as } = await startWorld();
  const ask = async (path: string, body?: object) => (await as("ada", path, body && { body })).json.error;
  expect(await ask("/document?uri=nowhere.md")).not.toHaveProperty("page");
  IbidError.pages = "https://docs.example/errors";
  onTestFinished(() => void (IbidError.pages = undefined));
  expect((await ask("/document?uri=nowhere.md")).page).toBe("https://docs.example/errors/not-found/");
  expect((await ask("/search", { query: 5 })).page).toBe("https://docs.example/errors/invalid-argument/");
  expect(await ask("/no-such-route")).toMatchObject({ code: expect.any(String) as string });
});
