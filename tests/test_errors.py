from judgekit.errors import InvalidInput, JudgekitError, MissingData


def test_invalid_input_is_one_line_that_names_the_field():
    error = InvalidInput("tau", "a number >= 0", "minus\none")
    assert str(error) == "tau: allowed is a number >= 0; given minus one"
    assert error.field == "tau"
    assert isinstance(error, JudgekitError)
    assert isinstance(error, ValueError)


def test_long_values_are_cut():
    given = str(InvalidInput("label", "numbers", list(range(1000)))).partition("; given ")[2]
    assert len(given) == 120
    assert given.endswith("...")


def test_missing_data_says_what_to_type():
    error = MissingData("llmbar", "judgekit data fetch llmbar")
    assert str(error) == "llmbar is not here; run: judgekit data fetch llmbar"
    assert isinstance(error, JudgekitError)
