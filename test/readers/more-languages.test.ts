import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { maskText } from "../../src/readers/code/mask-text.ts";
import { outlineCode } from "../../src/readers/code/outline-code.ts";
import { walkSections } from "../../src/text/walk-sections.ts";

import { readAny } from "./read-any.ts";

/** Each section as `# title first-last`, in lines. The text must be the source itself. */
async function linesOf(name: string, source: string): Promise<string[]> {
  const { text, root, metadata, notes } = await readAny(name, source);
  expect(text).toBe(source);
  expect(notes ?? []).toEqual([]);
  expect(metadata["programmingLanguage"]).toEqual(expect.any(String));
  const line = (at: number): number => text.slice(0, at).split("\n").length;
  return [...walkSections(root)]
    .slice(1)
    .map(({ level, title, start, end }) => `${"#".repeat(level)} ${title} ${line(start)}-${line(end)}`);
}

describe("the code reader's further languages", () => {
  it("reads Kotlin", async () => {
    const source = `package a

/** Keys. */
@Serializable
data class Key(val id: Int) : Base() {
  fun rotate(days: Int): Int {
    return days
  }
  companion object {
    val none = 0
  }
  constructor(name: String) : this(1) {
  }
  val size: Int
    get() = 1
}

fun <T> List<T>.top(n: Int) = take(n)
interface Store { fun get() }
enum class Kind { A, B }
object Keys
`;
    expect(await linesOf("Key.kt", source)).toEqual([
      "# class Key 3-16",
      "## rotate(days: Int) 6-8",
      "## companion object 9-11",
      "## constructor(name: String) 12-13",
      "## size 14-15",
      "# top(n: Int) 18-18",
      "# interface Store 19-19",
      "# class Kind 20-20",
      "# object Keys 21-21",
    ]);
  });

  it("reads Swift", async () => {
    const source = `import Foundation

/// Keys.
public final class Key: Base {
  init(id: Int) {
  }
  func rotate(_ days: Int, to name: String) -> Int { days }
  var size: Int {
    return 1
  }
}
struct Pair<T> { let x = 1 }
extension Pair: Q where T: Q {
  func g() {}
}
protocol Store {
  func get()
}
enum Kind { case a }
`;
    expect(await linesOf("Key.swift", source)).toEqual([
      "# class Key 3-11",
      "## init(id: Int) 5-6",
      "## rotate(_ days: Int, to name: String) 7-7",
      "## size 8-10",
      "# struct Pair 12-12",
      "# extension Pair 13-15",
      "## g() 14-14",
      "# protocol Store 16-18",
      "# enum Kind 19-19",
    ]);
  });

  it("reads Scala, Elixir and Dart", async () => {
    expect(
      await linesOf(
        "Key.scala",
        "package a\n\n/** Keys. */\ncase class Key(id: Int) extends Base {\n  def rotate(days: Int): Int = {\n    days\n  }\n}\nobject Keys { def none = 0 }\ntrait Store\n",
      ),
    ).toEqual(["# class Key 3-8", "## rotate(days: Int) 5-7", "# object Keys 9-9", "# trait Store 10-10"]);
    expect(
      await linesOf(
        "key.ex",
        'defmodule Shop.Key do\n  use Base\n\n  # Turns it.\n  @doc "Rotates."\n  @spec rotate(integer) :: integer\n  def rotate(days) when days > 1 do\n    days\n  end\n\n  defp none, do: 0\nend\n\ndefimpl Store, for: Shop.Key do\nend\n',
      ),
    ).toEqual([
      "# module Shop.Key 1-12",
      "## rotate(days) 4-9",
      "## none 11-11",
      "# defimpl Store, for: Shop.Key 14-15",
    ]);
    expect(
      await linesOf(
        "key.dart",
        "/// Keys.\nclass Key extends Base {\n  Key(this.id);\n  Key.named(int id) {\n    load();\n  }\n\n  /// Turns it.\n  @override\n  int rotate(int days) {\n    return days;\n  }\n}\nvoid main(List<String> args) {\n  run();\n}\nmixin Store {\n}\n",
      ),
    ).toEqual([
      "# class Key 1-13",
      "## Key.named(int id) 4-6",
      "## rotate(int days) 8-12",
      "# main(List<String> args) 14-16",
      "# mixin Store 17-18",
    ]);
  });

  it("reads Terraform and R", async () => {
    expect(
      await linesOf(
        "main.tf",
        '# The bucket of keys.\nresource "aws_s3_bucket" "keys" {\n  bucket = "keys"\n  versioning {\n    enabled = true\n  }\n}\n\nvariable "days" {}\n\nlocals {\n  x = 1\n}\n',
      ),
    ).toEqual(['# resource "aws_s3_bucket" "keys" 1-7', '# variable "days" 9-9', "# locals 11-13"]);
    expect(
      await linesOf(
        "keys.R",
        '#\' Turns a key.\nrotate <- function(days, by = 2) {\n  days\n}\nn <- 1\nsettings <- list(\n  a = 1\n)\ntest_that("it turns", {\n  1\n})\na + b\n',
      ),
    ).toEqual(["# rotate(days, by = 2) 1-4", "# settings 6-8", '# test_that("it turns") 9-11']);
  });

  it("reads SQL: routines with bodies, quoted names, and no word of a comment or a string", async () => {
    const source = `-- create table no (x int);
/* The keys. */
CREATE TABLE IF NOT EXISTS app."Key" (
  id int, -- end; begin
  note text DEFAULT 'create view v; it''s'
);

-- Turns a key.
create or replace function app.rotate(days int) returns int as $$
begin
  if days > 1 then
    return days;
  end if;
end;
$$ language plpgsql;
insert into x values (1);
CREATE PROCEDURE dbo.[Turn It] AS
BEGIN
  SELECT CASE WHEN 1 = 1 THEN 2 END;
  BEGIN TRANSACTION;
  WHILE 1 = 1 BEGIN
    BREAK;
  END;
END;
GO
create unique index concurrently k on app.key (id);
select * from t
`;
    expect(await linesOf("schema.sql", source)).toEqual([
      '# table app."Key" 1-6',
      "# function app.rotate 8-15",
      "# procedure dbo.[Turn It] 17-24",
      "# index k 26-26",
    ]);
  });

  it("reads Protocol Buffers and Dockerfiles", async () => {
    expect(
      await linesOf(
        "key.proto",
        'syntax = "proto3";\nimport "message Nothing {.proto";\n\n// A key.\nmessage Key {\n  int32 id = 1 [(opt) = { a: 1 }];\n  message Part { string s = 1; }\n  enum Kind {\n    NONE = 0;\n  }\n  oneof what {\n    string a = 2;\n  }\n}\nservice Keys {\n  // Gets one.\n  rpc Get(GetRequest) returns (Key);\n  rpc List(ListRequest) returns (Key) {}\n}\n',
      ),
    ).toEqual([
      "# message Key 4-14",
      "## message Part 7-7",
      "## enum Kind 8-10",
      "## oneof what 11-13",
      "# service Keys 15-19",
      "## Get(GetRequest) 16-17",
    ]);
    const docker =
      "# syntax=docker/dockerfile:1\nARG V=24\n\n# Builds.\nFROM node:24 AS build\nRUN npm ci\n\nFROM  node:24-slim\nCOPY --from=build /app /app\n";
    for (const name of ["Dockerfile", "deploy/Dockerfile.test", "api.dockerfile"]) {
      expect(await linesOf(name, docker)).toEqual(["# FROM node:24 AS build 4-6", "# FROM node:24-slim 8-9"]);
    }
  });

  it("reads components of Vue and Svelte, with the definitions of their scripts", async () => {
    const vue = `<script setup lang="ts">
import { ref } from "vue";
/** Turns it. */
function rotate(days: number) {
  return days;
}
</script>

<template>
  <p>{{ rotate(1) }}</p>
  <template #a>x</template>
</template>

<style scoped>
p { color: red }
</style>
`;
    expect(await linesOf("Key.vue", vue)).toEqual([
      "# script setup ts 1-7",
      "## rotate(days: number) 3-6",
      "# template 9-12",
      "# style scoped 14-16",
    ]);
    expect(
      await linesOf(
        "Key.svelte",
        "<script>\n  let n = 1;\n  const turn = () => {\n    n += 1;\n  };\n</script>\n\n<p>{n}</p>\n",
      ),
    ).toEqual(["# script 1-6", "## turn() 3-5"]);
  });

  it("loses no text and puts no section outside of it, whatever stands there", () => {
    const words = [
      "create table a (",
      "begin",
      "end;",
      "'",
      "$$",
      "/*",
      "*/",
      "--",
      "\n",
      "message M {",
      "}",
      ";",
      "FROM x",
      "<script>",
      "</script>",
      "\u{1f511}",
      "rpc R(A)",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (parts) => {
        const text = parts.join(" ");
        expect(
          maskText(text, { lines: ["--"], blocks: [["/*", "*/"]], quotes: "'", dollars: true }).masked,
        ).toHaveLength(text.length);
        for (const language of ["sql", "protobuf", "dockerfile", "vue", "svelte"] as const) {
          for (const { start, end } of outlineCode(language, text)) {
            expect(start).toBeGreaterThanOrEqual(0);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(text.length);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
