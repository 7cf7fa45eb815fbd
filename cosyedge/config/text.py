"""[text]: how texts are read."""

from typing import Literal, Self, TypeAlias

from pydantic import Field, model_validator

from cosyedge.config.base import Language, Section


class PronunciationSettings(Section):
    """A word of the lexicon that is given in phonemes, for voices that take them."""

    phonemes: str = Field(min_length=1, max_length=200, description="Phonemes of the voice.")


LexiconEntry: TypeAlias = str | PronunciationSettings


class TextSettings(Section):
    """The user's lexicon and the default markup."""

    markup: Literal["none", "ssml"] = Field(
        "none", description="Markup of announcements that do not say."
    )
    lexicon: dict[Language | Literal["*"], dict[str, LexiconEntry]] = Field(
        default_factory=dict,
        description="Words as they are to be spoken, by language (`*` is every one): text, or "
        "{phonemes = ...}.",
        examples=[{"en": {"HVAC": "H vack"}}],
    )

    @model_validator(mode="after")
    def _no_empty_words(self) -> Self:
        for language, words in self.lexicon.items():
            if any(not word.strip() for word in words):
                raise ValueError(f"lexicon.{language} holds an empty word")
        return self
