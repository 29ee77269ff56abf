"""Asks an MCP server for everything that it offers, with Python's official client, and prints JSON.

The argument is JSON: `command` starts a server on standard input and output; `url` is one over HTTP, with `key` or with the `person` who signs in.
"""

import asyncio
import json
import re
import sys
from html import unescape
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from mcp_types import PromptReference, ResourceTemplateReference

asked = json.loads(sys.argv[1])
callback = "http://127.0.0.1:9/callback"


class Kept:
    """Tokens and the registration, in memory."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, info):
        self.client = info


def sign_in(url: str, person: str) -> OAuthClientProvider:
    """Fills the forms of the provider as a person does in a browser: a name, then consent."""
    reached = {}

    async def open_browser(address: str) -> None:
        async with httpx2.AsyncClient() as browser:
            response = await browser.get(address)
            for _ in range(20):
                location = response.headers.get("location")
                if location is not None:
                    target = str(response.url.join(location))
                    if target.startswith(callback):
                        reached.update({name: values[0] for name, values in parse_qs(urlsplit(target).query).items()})
                        return
                    response = await browser.get(target)
                    continue
                action = unescape(re.search(r'<form[^>]* action="([^"]+)"', response.text)[1])
                prompt = re.search(r'name="prompt" value="([^"]+)"', response.text)[1]
                response = await browser.post(action, data={"prompt": prompt, "login": person, "password": "any"})
            raise RuntimeError(f"the provider shows no form: {response.text[:300]}")

    async def come_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=reached["code"], state=reached["state"], iss=reached.get("iss"))

    metadata = OAuthClientMetadata(
        client_name="check", redirect_uris=[callback], grant_types=["authorization_code"], scope="openid"
    )
    return OAuthClientProvider(url, metadata, Kept(), open_browser, come_back)


async def ask(client: Client) -> dict:
    tools = (await client.list_tools()).tools
    pages, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        pages.append(page.resources)
        cursor = page.next_cursor
        if cursor is None:
            break
    resources = [resource for page in pages for resource in page]
    templates = (await client.list_resource_templates()).resource_templates
    of_template = ResourceTemplateReference(type="ref/resource", uri=templates[0].uri_template)
    scopes = await client.complete(of_template, {"name": "scope", "value": ""})
    uris = await client.complete(of_template, {"name": "uri", "value": "shelf/doc-000"})
    read = await client.read_resource(str(resources[0].uri))
    # The client holds a result to the tool's output schema.
    found = await client.call_tool("search", {"query": asked["query"], "topK": 2})
    opened = await client.call_tool("fetch", {"id": found.structured_content["results"][0]["id"]})
    answer = await client.call_tool("ask", {"question": asked["query"]})
    refused = await client.call_tool("search", {"query": "x", "scope": "team:hidden"})
    prompt = await client.get_prompt("ask-with-citations", {"question": asked["query"]})
    try:
        await client.read_resource("ibid://documents/deployment/nothing")
        unknown = None
    except MCPError as error:
        unknown = [error.error.code, error.error.message]
    return {
        "protocol": client.session.protocol_version,
        "server": client.session.server_info.model_dump(exclude_none=True),
        "tools": [[tool.name, tool.output_schema is not None] for tool in tools],
        "pages": [len(page) for page in pages],
        "titles": [resource.title for resource in resources],
        "sizes": [resource.size for resource in resources],
        "read": [resources[0].size, len(read.contents[0].text.encode())],
        "template": templates[0].uri_template,
        "completed": [scopes.completion.values, uris.completion.values],
        "found": found.structured_content["results"],
        "opened": opened.structured_content,
        "answer": answer.structured_content,
        "hidden": refused.structured_content,
        "prompts": [one.name for one in (await client.list_prompts()).prompts],
        "prompt": prompt.messages[0].content.text,
        "unknown": unknown,
    }


async def main() -> None:
    if "command" in asked:
        command, *args = asked["command"]
        server = StdioServerParameters(command=command, args=args, cwd=asked["cwd"])
    else:
        url, key = asked["url"], asked.get("key")
        auth = sign_in(url, asked["person"]) if "person" in asked else None
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        server = streamable_http_client(url, http_client=create_mcp_http_client(headers=headers, auth=auth))
    async with Client(server, mode=asked.get("mode", "auto")) as client:
        print(json.dumps(await ask(client)))


asyncio.run(main())
