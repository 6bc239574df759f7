// Answers each line of JSON on standard input with one: what the openai-go module made of a request.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

const prompt = "Say something."

type question struct {
	Operation, Api, Origin, ApiKey, Model, Weather, More string
	Retries                                              int
	MaxTokens                                            int64
	Tool                                                 struct {
		Name, Description string
		Parameters        map[string]any
	}
}

type toolCall struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type explained struct {
	Type      string  `json:"type"`
	Status    *int    `json:"status"`
	Code      *string `json:"code"`
	RequestId *string `json:"requestId"`
	Message   string  `json:"message"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		result, err := run(context.Background(), asked)
		answer := map[string]any{"result": result}
		if err != nil {
			answer = map[string]any{"error": explain(err)}
		}
		line, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}

func run(ctx context.Context, asked question) (any, error) {
	client := openai.NewClient(
		option.WithAPIKey(asked.ApiKey),
		option.WithBaseURL(asked.Origin+"/v1/"),
		option.WithMaxRetries(asked.Retries),
	)
	switch {
	case asked.Operation == "models":
		page, err := client.Models.List(ctx)
		if err != nil {
			return nil, err
		}
		ids := []string{}
		for _, model := range page.Data {
			ids = append(ids, model.ID)
		}
		return ids, nil
	case asked.Api == "chat":
		return runChat(ctx, client, asked)
	default:
		return runResponses(ctx, client, asked)
	}
}

func runChat(ctx context.Context, client openai.Client, asked question) (any, error) {
	params := openai.ChatCompletionNewParams{
		Model:               asked.Model,
		Messages:            []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
		MaxCompletionTokens: openai.Int(asked.MaxTokens),
	}
	if asked.Operation == "tool" || asked.Operation == "converse" {
		params.Tools = []openai.ChatCompletionToolUnionParam{
			openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
				Name:        asked.Tool.Name,
				Description: openai.String(asked.Tool.Description),
				Parameters:  asked.Tool.Parameters,
			}),
		}
	}
	if asked.Operation == "converse" {
		return converseChat(ctx, client, asked, params)
	}
	if asked.Operation == "stream" {
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		whole := openai.ChatCompletionAccumulator{}
		for stream.Next() {
			whole.AddChunk(stream.Current())
		}
		if err := stream.Err(); err != nil {
			return nil, err
		}
		return whole.Choices[0].Message.Content, nil
	}
	answer, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		return nil, err
	}
	message := answer.Choices[0].Message
	if asked.Operation == "tool" {
		call := message.ToolCalls[0].Function
		return toolCall{Name: call.Name, Input: json.RawMessage(call.Arguments)}, nil
	}
	return message.Content, nil
}

func runResponses(ctx context.Context, client openai.Client, asked question) (any, error) {
	params := responses.ResponseNewParams{
		Model:           asked.Model,
		Input:           responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt)},
		MaxOutputTokens: openai.Int(asked.MaxTokens),
	}
	if asked.Operation == "tool" || asked.Operation == "converse" {
		params.Tools = []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
			Name:        asked.Tool.Name,
			Description: openai.String(asked.Tool.Description),
			Parameters:  asked.Tool.Parameters,
			Strict:      openai.Bool(false),
		}}}
	}
	if asked.Operation == "converse" {
		return converseResponses(ctx, client, asked, params)
	}
	if asked.Operation == "stream" {
		return streamResponse(client.Responses.NewStreaming(ctx, params))
	}
	answer, err := client.Responses.New(ctx, params)
	if err != nil {
		return nil, err
	}
	if asked.Operation == "tool" {
		item := answer.Output[0]
		return toolCall{Name: item.Name, Input: json.RawMessage(item.Arguments.OfString)}, nil
	}
	return answer.OutputText(), nil
}

type conversation struct {
	Call toolCall `json:"call"`
	Said []string `json:"said"`
}

func converseChat(ctx context.Context, client openai.Client, asked question, params openai.ChatCompletionNewParams) (any, error) {
	done := conversation{Said: []string{}}
	for turn := 0; turn < 3; turn++ {
		answer, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return nil, err
		}
		message := answer.Choices[0].Message
		params.Messages = append(params.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			done.Call = toolCall{Name: call.Function.Name, Input: json.RawMessage(call.Function.Arguments)}
			params.Messages = append(params.Messages, openai.ToolMessage(asked.Weather, call.ID))
		}
		if len(message.ToolCalls) == 0 {
			done.Said = append(done.Said, message.Content)
			params.Messages = append(params.Messages, openai.UserMessage(asked.More))
		}
	}
	return done, nil
}

func converseResponses(ctx context.Context, client openai.Client, asked question, params responses.ResponseNewParams) (any, error) {
	done := conversation{Said: []string{}}
	items := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(prompt, responses.EasyInputMessageRoleUser)}
	for turn := 0; turn < 3; turn++ {
		params.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: items}
		answer, err := client.Responses.New(ctx, params)
		if err != nil {
			return nil, err
		}
		called := false
		for _, item := range answer.Output {
			items = append(items, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
			if item.Type == "function_call" {
				called = true
				done.Call = toolCall{Name: item.Name, Input: json.RawMessage(item.Arguments.OfString)}
				result := responses.ResponseInputItemParamOfFunctionCallOutput(asked.Weather)
				result.OfFunctionCallOutput.CallID = openai.String(item.CallID)
				items = append(items, result)
			}
		}
		if !called {
			done.Said = append(done.Said, answer.OutputText())
			items = append(items, responses.ResponseInputItemParamOfMessage(asked.More, responses.EasyInputMessageRoleUser))
		}
	}
	return done, nil
}

type responseStream interface {
	Next() bool
	Current() responses.ResponseStreamEventUnion
	Err() error
}

func streamResponse(stream responseStream) (any, error) {
	for stream.Next() {
		switch event := stream.Current(); event.Type {
		case "response.completed":
			return event.Response.OutputText(), nil
		case "response.failed":
			return nil, errors.New(event.Response.Error.Message)
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	return nil, errors.New("the stream ended without a terminal event")
}

func explain(err error) explained {
	var refused *openai.Error
	if !errors.As(err, &refused) {
		return explained{Type: fmt.Sprintf("%T", err), Message: err.Error()}
	}
	told := explained{Type: fmt.Sprintf("%T", refused), Code: &refused.Code, Message: err.Error()}
	if refused.Response != nil {
		requestId := refused.Response.Header.Get("x-request-id")
		told.Status, told.RequestId = &refused.StatusCode, &requestId
	}
	return told
}
