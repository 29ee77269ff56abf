import type { Node } from "web-tree-sitter";

import {
  assigned,
  bodyOf,
  callable,
  callWithBlock,
  callWithFunction,
  constant,
  type DefinitionRule,
  declared,
  header,
  maxParameters,
  method,
  parametersOf,
  small,
  type,
  variable,
} from "./definition-rules.ts";
import type { GrammarName } from "./grammars.ts";

/** Definitions in a language's syntax tree. Names of nodes are those of its grammar. */
export interface LanguageRules {
  readonly definitions: ReadonlyMap<string, DefinitionRule>;
  /** Nodes around one definition: `export`, decorators, templates. */
  readonly wrappers: ReadonlySet<string>;
  /** Nodes around several definitions, without a name of their own: conditions, `extern "C"`. */
  readonly groups: ReadonlySet<string>;
  /** Nodes that belong to the definition after them: comments, attributes. */
  readonly leads: ReadonlySet<string>;
  /** Nodes that belong to the definition before them, where a grammar keeps a head and its body side by side. */
  readonly tails: ReadonlySet<string>;
}

function rules(
  definitions: Readonly<Record<string, DefinitionRule>>,
  {
    wrappers = "",
    groups = "",
    leads = "comment",
    tails = "",
  }: { wrappers?: string; groups?: string; leads?: string; tails?: string } = {},
): LanguageRules {
  return {
    definitions: new Map(Object.entries(definitions)),
    wrappers: new Set(wrappers.split(" ")),
    groups: new Set(groups.split(" ")),
    leads: new Set(leads.split(" ")),
    tails: new Set(tails.split(" ")),
  };
}

const ecmaScript = rules(
  {
    class_declaration: type("class"),
    abstract_class_declaration: type("class"),
    class: type("class", "default"),
    interface_declaration: type("interface"),
    type_alias_declaration: type("type"),
    enum_declaration: type("enum"),
    internal_module: type("namespace"),
    module: type("module"),
    function_declaration: callable(),
    generator_function_declaration: callable(),
    function_expression: callable("default"),
    arrow_function: callable("default"),
    object: small({ title: () => "default" }),
    function_signature: small(callable()),
    method_definition: callable(),
    abstract_method_signature: small(callable()),
    method_signature: small(callable()),
    public_field_definition: variable("name"),
    field_definition: variable("property"),
    lexical_declaration: declared("const"),
    variable_declaration: declared("var"),
    call_expression: callWithFunction,
    assignment_expression: assigned,
  },
  {
    wrappers: "export_statement ambient_declaration expression_statement",
    groups: "ambient_declaration statement_block",
    leads: "comment decorator",
  },
);

const python = rules(
  {
    class_definition: type("class"),
    function_definition: callable(),
    type_alias_statement: small({ title: (node) => `type ${node.childForFieldName("left")?.text}` }),
    assignment: assigned,
  },
  {
    wrappers: "decorated_definition expression_statement",
    groups: "if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block",
    leads: "comment decorator",
  },
);

const java = rules(
  {
    class_declaration: type("class"),
    interface_declaration: type("interface"),
    enum_declaration: type("enum"),
    record_declaration: type("record"),
    annotation_type_declaration: type("@interface"),
    method_declaration: callable(),
    constructor_declaration: callable(),
    compact_constructor_declaration: callable(),
    field_declaration: constant((node) => node.childForFieldName("declarator")?.childForFieldName("name")?.text),
    constant_declaration: constant((node) => node.childForFieldName("declarator")?.childForFieldName("name")?.text),
  },
  { groups: "enum_body_declarations", leads: "line_comment block_comment" },
);

const csharp = rules(
  {
    namespace_declaration: type("namespace"),
    class_declaration: type("class"),
    struct_declaration: type("struct"),
    interface_declaration: type("interface"),
    enum_declaration: type("enum"),
    record_declaration: type("record"),
    delegate_declaration: small(callable()),
    method_declaration: callable(),
    local_function_statement: callable(),
    constructor_declaration: callable(),
    destructor_declaration: { title: (node) => `~${node.childForFieldName("name")?.text}()` },
    operator_declaration: { title: (node) => `operator ${node.childForFieldName("operator")?.text ?? ""}` },
    indexer_declaration: small({ title: () => "this[]" }),
    property_declaration: constant((node) => node.childForFieldName("name")?.text),
    event_declaration: constant((node) => node.childForFieldName("name")?.text),
    field_declaration: constant(
      (node) =>
        node.namedChildren
          .find((child) => child.type === "variable_declaration")
          ?.namedChildren.find((child) => child.type === "variable_declarator")
          ?.childForFieldName("name")?.text,
    ),
  },
  { groups: "global_statement preproc_if preproc_elif preproc_else", leads: "comment attribute_list" },
);

const go = rules(
  {
    function_declaration: callable(),
    method_declaration: method,
    // A type declared by itself; several in brackets are a group.
    type_declaration: {
      title: (node) => {
        const [only, ...others] = node.namedChildren.filter((child) => /^type_(?:spec|alias)$/.test(child.type));
        return others.length > 0 || only === undefined ? undefined : `type ${only.childForFieldName("name")?.text}`;
      },
    },
    type_spec: { title: (node) => `type ${node.childForFieldName("name")?.text}` },
    const_declaration: constant((node) => firstName(node, "const_spec"), "const"),
    var_declaration: constant((node) => firstName(node, "var_spec"), "var"),
  },
  { groups: "type_declaration" },
);

const rust = rules(
  {
    struct_item: type("struct"),
    enum_item: type("enum"),
    union_item: type("union"),
    trait_item: type("trait"),
    mod_item: type("mod"),
    impl_item: { title: (node) => header(node), body: bodyOf },
    foreign_mod_item: { title: (node) => header(node), body: bodyOf },
    function_item: callable(),
    function_signature_item: small(callable()),
    macro_definition: type("macro"),
    type_item: small(type("type")),
    const_item: constant((node) => node.childForFieldName("name")?.text, "const"),
    static_item: constant((node) => node.childForFieldName("name")?.text, "static"),
  },
  { leads: "line_comment block_comment attribute_item" },
);

const cpp = rules(
  {
    namespace_definition: { title: (node) => `namespace ${node.childForFieldName("name")?.text ?? ""}`, body: bodyOf },
    class_specifier: bodied("class"),
    struct_specifier: bodied("struct"),
    union_specifier: bodied("union"),
    enum_specifier: bodied("enum"),
    concept_definition: type("concept"),
    function_definition: { title: declaratorTitle },
    declaration: small({ title: declaratorTitle }),
    field_declaration: small({ title: declaratorTitle }),
    type_definition: small({ title: (node) => node.childForFieldName("declarator")?.text }),
    alias_declaration: small(type("using")),
    preproc_def: constant((node) => node.childForFieldName("name")?.text, "#define"),
    preproc_function_def: constant((node) => node.childForFieldName("name")?.text, "#define"),
  },
  {
    wrappers: "template_declaration",
    groups:
      "linkage_specification declaration_list preproc_if preproc_ifdef preproc_elif preproc_elifdef preproc_else export_declaration",
    leads: "comment attribute_declaration",
  },
);

const ruby = rules(
  {
    module: type("module"),
    class: type("class"),
    singleton_class: { title: (node) => `class << ${node.childForFieldName("value")?.text}`, body: bodyOf },
    method: callable(),
    singleton_method: {
      title: (node) => `${node.childForFieldName("object")?.text}.${callable().title(node)}`,
    },
    call: callWithBlock,
    assignment: assigned,
  },
  { groups: "if unless begin then else" },
);

const php = rules(
  {
    // `namespace A;` holds the rest of the file, and says so in its own text.
    namespace_definition: bodied("namespace"),
    class_declaration: type("class"),
    interface_declaration: type("interface"),
    trait_declaration: type("trait"),
    enum_declaration: type("enum"),
    function_definition: callable(),
    method_declaration: callable(),
    const_declaration: constant(
      (node) => node.namedChildren.find((child) => child.type === "const_element")?.namedChild(0)?.text,
      "const",
    ),
    property_declaration: constant(
      (node) => node.namedChildren.find((child) => child.type === "property_element")?.childForFieldName("name")?.text,
    ),
    assignment_expression: assigned,
  },
  {
    wrappers: "expression_statement",
    groups: "if_statement compound_statement else_clause else_if_clause",
    leads: "comment attribute_list",
  },
);

const bash = rules({ function_definition: callable() }, { groups: "if_statement" });

const kotlin = rules(
  {
    class_declaration: {
      title: (node) => worded(hasToken(node, "interface") ? "interface" : "class", childText(node, "type_identifier")),
      body: (node) => childOf(node, "class_body", "enum_class_body"),
    },
    object_declaration: {
      title: (node) => worded("object", childText(node, "type_identifier")),
      body: (node) => childOf(node, "class_body"),
    },
    companion_object: { title: () => "companion object", body: (node) => childOf(node, "class_body") },
    function_declaration: { title: (node) => childText(node, "simple_identifier") + parametersOf(node) },
    secondary_constructor: { title: (node) => `constructor${parametersOf(node)}` },
    anonymous_initializer: small({ title: () => "init" }),
    property_declaration: constant((node) => childText(childOf(node, "variable_declaration"), "simple_identifier")),
    type_alias: small({ title: (node) => worded("typealias", childText(node, "type_identifier")) }),
  },
  { leads: "multiline_comment line_comment", tails: "getter setter" },
);

const swift = rules(
  {
    class_declaration: {
      title: (node) => {
        const keyword = node.children.find((child) => /^(?:class|struct|enum|extension|actor)$/u.test(child.type));
        return worded(keyword?.type ?? "class", node.childForFieldName("name")?.text);
      },
      body: bodyOf,
    },
    protocol_declaration: type("protocol"),
    function_declaration: { title: swiftTitle },
    init_declaration: { title: swiftTitle },
    protocol_function_declaration: small({ title: swiftTitle }),
    deinit_declaration: { title: () => "deinit" },
    subscript_declaration: { title: (node) => `subscript${listed(node, "parameter")}` },
    property_declaration: constant((node) => node.childForFieldName("name")?.text),
    typealias_declaration: small(type("typealias")),
  },
  { leads: "comment multiline_comment" },
);

const scala = rules(
  {
    class_definition: type("class"),
    object_definition: type("object"),
    package_object: type("package object"),
    trait_definition: type("trait"),
    enum_definition: type("enum"),
    extension_definition: { title: (node) => `extension ${node.childForFieldName("parameters")?.text ?? ""}`.trim() },
    function_definition: callable(),
    function_declaration: small(callable()),
    given_definition: small(type("given", "")),
    val_definition: constant((node) => node.childForFieldName("pattern")?.text),
    var_definition: constant((node) => node.childForFieldName("pattern")?.text),
    type_definition: small(type("type")),
  },
  { groups: "package_clause template_body", leads: "comment block_comment" },
);

/** Elixir has calls only: a definition is a call of `def`, `defmodule` and their like. */
const elixir = rules(
  {
    call: {
      title: (node) => {
        const target = node.childForFieldName("target")?.text ?? "";
        const given = childOf(node, "arguments");
        const first = given?.namedChild(0);
        if (/^def(?:module|protocol|impl)$/u.test(target))
          return `${target.replace("defmodule", "module")} ${given?.text}`;
        if (/^def(?:p|macro|macrop|guard|guardp|delegate)?$/u.test(target)) return first?.text.split(/\s+when\s/u)[0];
        return /^(?:describe|test)$/u.test(target) && first?.type === "string" ? `${target} ${first.text}` : undefined;
      },
      body: (node) =>
        /^(?:defmodule|defprotocol|defimpl|describe)$/u.test(node.childForFieldName("target")?.text ?? "")
          ? childOf(node, "do_block")
          : undefined,
    },
  },
  { leads: "comment unary_operator" },
);

const dart = rules(
  {
    class_definition: type("class"),
    mixin_declaration: {
      title: (node) => worded("mixin", childText(node, "identifier")),
      body: (node) => childOf(node, "class_body"),
    },
    enum_declaration: type("enum"),
    extension_declaration: type("extension"),
    function_signature: callable(),
    getter_signature: { title: (node) => node.childForFieldName("name")?.text },
    setter_signature: callable(),
    constructor_signature: {
      title: (node) =>
        node.text.slice(0, (childOf(node, "formal_parameter_list")?.startIndex ?? 0) - node.startIndex) +
        parametersOf(node),
    },
    factory_constructor_signature: {
      title: (node) =>
        node.text.slice(0, (childOf(node, "formal_parameter_list")?.startIndex ?? 0) - node.startIndex) +
        parametersOf(node),
    },
    declaration: small({
      title: (node) => childOf(node, "initialized_identifier_list", "constructor_signature")?.text,
    }),
    type_alias: small({ title: (node) => worded("typedef", childText(node, "type_identifier")) }),
  },
  {
    wrappers: "method_signature",
    leads: "comment documentation_comment annotation",
    tails: "function_body",
  },
);

const hcl = rules(
  {
    block: {
      title: (node) =>
        node.namedChildren
          .filter((child) => child.type === "identifier" || child.type === "string_lit")
          .map((child) => child.text)
          .join(" "),
    },
    attribute: constant((node) => childText(node, "identifier")),
  },
  { groups: "body" },
);

const r = rules({
  binary_operator: {
    title: (node) => {
      if (!/^(?:<-|<<-|=|:=)$/u.test(node.childForFieldName("operator")?.text ?? "")) return undefined;
      const name = node.childForFieldName("lhs")?.text;
      const value = node.childForFieldName("rhs");
      return name === undefined || value?.type !== "function_definition" ? name : name + parametersOf(value);
    },
    isSmall: (node) => node.childForFieldName("rhs")?.type !== "function_definition",
  },
  call: small({
    title: (node) => {
      const given =
        node.childForFieldName("arguments")?.namedChildren.filter((child) => child.type === "argument") ?? [];
      const [first, last] = [given[0]?.childForFieldName("value"), given.at(-1)?.childForFieldName("value")];
      const isDefinition = last?.type === "function_definition" || last?.type === "braced_expression";
      return first?.type === "string" && isDefinition
        ? `${node.childForFieldName("function")?.text}(${first.text})`
        : undefined;
    },
  }),
});

/** `parse(_ text: String)`; Swift's parameters are no list of their own. */
function swiftTitle(node: Node): string {
  const name = node.childForFieldName("name");
  const isInit = name === null || name.type !== "simple_identifier";
  return (isInit ? "init" : name.text) + listed(node, "parameter");
}

function listed(node: Node, kind: string): string {
  const given = node.namedChildren.filter((child) => child.type === kind).map((child) => child.text);
  return given.join(", ").length > maxParameters ? "(…)" : `(${given.join(", ")})`;
}

function worded(keyword: string, name: string | undefined): string | undefined {
  return name === undefined || name === "" ? undefined : `${keyword} ${name}`;
}

function childOf(node: Node | undefined, ...kinds: readonly string[]): Node | undefined {
  return node?.namedChildren.find((child) => kinds.includes(child.type));
}

function childText(node: Node | undefined, kind: string): string {
  return childOf(node, kind)?.text ?? "";
}

function hasToken(node: Node, token: string): boolean {
  return node.children.some((child) => child.type === token);
}

/** A type that is defined here, not only named. */
function bodied(keyword: string): DefinitionRule {
  const rule = type(keyword);
  return { ...rule, title: (node) => (bodyOf(node) === undefined ? undefined : rule.title(node)) };
}

function firstName(node: Node, kind: string): string | undefined {
  const [spec, ...others] = node.namedChildren.flatMap((child) =>
    child.type === kind ? [child] : child.namedChildren.filter((inner) => inner.type === kind),
  );
  const name = spec?.childForFieldName("name")?.text;
  return name === undefined || others.length === 0 ? name : `${name} …`;
}

/** `Parser::parse(int depth)`: the declarator says how it is called, below pointers and references. */
function declaratorTitle(node: Node): string | undefined {
  let declarator = node.childForFieldName("declarator");
  for (let depth = 0; declarator !== null && depth < 8; depth++) {
    if (declarator.type === "function_declarator") {
      const name = declarator.childForFieldName("declarator")?.text;
      return name === undefined ? undefined : callable(name).title(declarator);
    }
    const inner = declarator.childForFieldName("declarator") ?? declarator.namedChildren.at(-1) ?? null;
    if (!declarator.type.endsWith("_declarator")) return declarator.text;
    declarator = inner;
  }
  return undefined;
}

const byGrammar: Readonly<Record<GrammarName, LanguageRules>> = {
  typescript: ecmaScript,
  tsx: ecmaScript,
  javascript: ecmaScript,
  python,
  java,
  "c-sharp": csharp,
  go,
  rust,
  cpp,
  ruby,
  php,
  bash,
  kotlin,
  swift,
  scala,
  elixir,
  dart,
  hcl,
  r,
};

export function rulesOf(grammar: GrammarName): LanguageRules {
  return byGrammar[grammar];
}
